// ByteStream: bytes that come one piece after the other. Pure; streams are put on top of each
// other.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace sf::roots {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next bytes, valid until the next call; none at the end.
  virtual Result<std::string_view> next() = 0;
  // Leaves out at most so many bytes without reading them; how many it did.
  virtual std::uint64_t skip(std::uint64_t /*bytes*/) { return 0; }
};

}  // namespace sf::roots
