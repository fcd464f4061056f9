// HttpReplyReader: incremental parser of one HTTP/1.1 reply. Reads the status, the headers that
// decide where the body ends, and the body. Pure. Example (src/client/http_reply_test.cc):
//
//   HttpReplyReader reader;
//   std::string body;
//   ...
//     return reader.feed(bytes, [this](std::string_view piece) { body += piece; });
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::client {

class HttpReplyReader {
 public:
  static constexpr std::size_t kMaxHead = 64U << 10U;
  static constexpr std::size_t kMaxChunkLine = 4U << 10U;

  using TakeBody = std::function<void(std::string_view)>;

  // kCorrupt: the reply is malformed; do not call feed() again.
  Status feed(std::string_view bytes, const TakeBody& take);
  // Call when the peer has closed the connection. kCorrupt: the reply is truncated.
  Status end();

  bool has_begun() const { return has_begun_; }  // at least one byte arrived
  bool has_status() const { return part_ != Part::kHead; }
  int status() const { return status_; }
  bool is_complete() const { return part_ == Part::kDone; }
  // Whether the connection can be used for another request. Requires: is_complete().
  bool keeps_connection() const { return keeps_connection_; }

 private:
  enum class Part { kHead, kSized, kChunkLine, kChunk, kChunkEnd, kTrailer, kUntilClose, kDone };

  Result<bool> next_line(std::string_view& bytes, std::size_t max);
  Status take_head_line();
  Status take_status_line();
  Status take_header();
  Status begin_body();
  Status take_chunk_line();

  Part part_ = Part::kHead;
  std::string line_;  // the current line so far; a complete one has no line end
  std::size_t head_bytes_ = 0;
  bool has_begun_ = false;
  bool has_status_line_ = false;
  int status_ = 0;
  bool keeps_connection_ = true;
  bool is_chunked_ = false;
  bool has_length_ = false;
  std::uint64_t left_ = 0;  // bytes left in the body or in the current chunk
};

}  // namespace sf::client
