// Frames: the messages between a manager and a keeper. A frame is two lengths, a JSON header and a
// payload of raw bytes. The payload is not part of the JSON, so it can hold any bytes. Both sides
// limit the sizes.
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

// Collects received bytes and returns complete frames.
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // Returns nothing if more bytes are needed. kCorrupt: the peer does not use this protocol.
  Result<std::optional<Frame>> next();

 private:
  std::string buffer_;
  std::size_t used_ = 0;
};

// Blocking calls for a client. kSessionLost: the peer has closed the connection.
Status send_frame(int fd, const Frame& frame);
Result<Frame> receive_frame(int fd, FrameReader& reader, Deadline deadline);

// Converts an Error to a member of a frame header and back.
Json error_to_json(const Error& error);
Error error_from_json(const Json& json);

}  // namespace sf::wire
