// A piece of a pages file. Plain data.
#pragma once

#include <cstdint>

namespace sf::waypoint::native {

inline constexpr std::uint32_t kNone = 0xffffffffU;

struct Extent {          // of a pages file
  std::uint64_t at = 0;  // address, or offset in the file it belongs to
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint64_t file = 0;  // index of the image's pages file; 0: its own
};

}  // namespace sf::waypoint::native
