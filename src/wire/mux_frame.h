// Frames of a multiplexed stream: many connections over one pair of pipes or one serial line. Pure.
//
// A frame ends with a byte that occurs nowhere else (END, with escapes, as in RFC 1055). So a
// reader finds the next frame after a partial frame of a peer that died.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sf::wire {

struct MuxFrame {
  enum class Kind : std::uint8_t {
    kReset = 1,  // close all connections: the sender is a new peer; `channel` is its number
    kOpen = 2,
    kData = 3,
    kClose = 4,
    kReady = 5,  // the answer to a reset, with the same number
  };
  Kind kind = Kind::kReset;
  std::uint32_t channel = 0;
  std::string bytes;

  friend bool operator==(const MuxFrame&, const MuxFrame&) = default;
};

std::string encode_mux_frame(const MuxFrame& frame);

class MuxReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // Returns nothing if more bytes are needed. Skips incomplete and malformed frames.
  std::optional<MuxFrame> next();

 private:
  std::string buffer_;
  std::size_t used_ = 0;
};

}  // namespace sf::wire
