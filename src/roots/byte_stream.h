// ByteStream: a sequence of bytes, read in pieces. Pure; a stream can wrap another stream.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace sf::roots {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next bytes, valid until the next call; empty at the end.
  virtual Result<std::string_view> next() = 0;
  // Skips up to `bytes` bytes without reading them. Returns the number of skipped bytes.
  virtual std::uint64_t skip(std::uint64_t /*bytes*/) { return 0; }
};

}  // namespace sf::roots
