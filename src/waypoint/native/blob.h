// The interpreter of programs: position-independent code that is copied into other processes.
#pragma once

#include <cstdint>
#include <span>

namespace sf::waypoint::native {

struct BlobCode {
  std::span<const unsigned char> bytes;
  std::size_t entry = 0;  // void entry(Program*); does not return
};
BlobCode blob_code();

}  // namespace sf::waypoint::native
