// Descriptor numbers that a restore uses. They are above those of every captured descriptor and
// hold files until the processes take them.
#pragma once

#include <cstdint>

namespace sf::waypoint::native {

struct FdLocations {
  int pages = 0;    // the pages files
  int scratch = 0;  // free for steps that need a known number
  int helper = 0;   // likewise
  int master = 0;   // of the terminal
  int mapped = 0;   // files that processes map, until all have done so
  int first = 0;    // first open file description
  int end = 0;      // after the descriptions: inodes, two numbers each
};

inline int held_inode(const FdLocations& locations, std::uint32_t index) {
  return locations.end + static_cast<int>(2 * index);
}

}  // namespace sf::waypoint::native
