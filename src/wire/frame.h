// Frames: what travels between a manager and a keeper. Two lengths, a JSON header, raw bytes.
// Raw bytes stay outside the JSON, so that any output travels unharmed. Sizes are capped on both
// sides.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "wire/json.h"

namespace sf::wire {

inline constexpr std::size_t kMaxHeader = 1U << 20U;
inline constexpr std::size_t kMaxPayload = 128U << 20U;

struct Frame {
  Json header;
  std::string payload;
};

std::string encode_frame(const Frame& frame);

// Collects bytes as they come and hands out whole frames.
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // Nothing when more bytes are needed; kCorrupt when the peer does not speak this protocol.
  Result<std::optional<Frame>> next();

 private:
  std::string buffer_;
  std::size_t used_ = 0;
};

// Blocking forms for a client. kSessionLost when the peer hangs up.
Status send_frame(int fd, const Frame& frame);
Result<Frame> receive_frame(int fd, FrameReader& reader, Deadline deadline);

// An Error as a frame header member and back.
Json error_to_json(const Error& error);
Error error_from_json(const Json& json);

}  // namespace sf::wire
