#include "client/http_reply.h"

#include <algorithm>
#include <charconv>

namespace sf::client {
namespace {

Error malformed(const std::string& what) {
  return fail(ErrorCode::kCorrupt, "malformed reply from the daemon: " + what,
              "check that client and daemon have the same version");
}

bool same_word(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

template <typename Number>
bool parse_number(std::string_view text, Number& number, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

// True if the line is complete; line_ then holds it.
Result<bool> HttpReplyReader::next_line(std::string_view& bytes, std::size_t max) {
  const std::size_t end = bytes.find('\n');
  const std::string_view piece = bytes.substr(0, end);
  if (line_.size() + piece.size() > max) return malformed("line too long");
  line_ += piece;
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos) return false;
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

Status HttpReplyReader::feed(std::string_view bytes, const TakeBody& take) {
  has_begun_ = has_begun_ || !bytes.empty();
  while (!bytes.empty()) {
    switch (part_) {
      case Part::kHead: {
        const std::size_t before = bytes.size();
        SF_TRY_ASSIGN(bool whole, next_line(bytes, kMaxHead));
        head_bytes_ += before - bytes.size();
        if (head_bytes_ > kMaxHead) return malformed("head too long");
        if (whole) SF_TRY(take_head_line());
        break;
      }
      case Part::kSized:
      case Part::kChunk: {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
        take(bytes.substr(0, size));
        bytes.remove_prefix(size);
        left_ -= size;
        if (left_ == 0) part_ = part_ == Part::kSized ? Part::kDone : Part::kChunkEnd;
        break;
      }
      case Part::kChunkLine: {
        SF_TRY_ASSIGN(bool whole, next_line(bytes, kMaxChunkLine));
        if (whole) SF_TRY(take_chunk_line());
        break;
      }
      case Part::kChunkEnd: {
        SF_TRY_ASSIGN(bool whole, next_line(bytes, kMaxChunkLine));
        if (!whole) break;
        if (!line_.empty()) return malformed("chunk longer than its size");
        part_ = Part::kChunkLine;
        break;
      }
      case Part::kTrailer: {
        SF_TRY_ASSIGN(bool whole, next_line(bytes, kMaxChunkLine));
        if (!whole) break;
        if (line_.empty()) part_ = Part::kDone;
        line_.clear();
        break;
      }
      case Part::kUntilClose:
        take(bytes);
        bytes = {};
        break;
      case Part::kDone:
        return malformed("data after the reply");
    }
  }
  return Ok{};
}

Status HttpReplyReader::end() {
  if (part_ == Part::kUntilClose) part_ = Part::kDone;
  keeps_connection_ = false;
  if (part_ == Part::kDone) return Ok{};
  return malformed("truncated");
}

Status HttpReplyReader::take_head_line() {
  Status taken = Ok{};
  if (!has_status_line_) {
    taken = take_status_line();
  } else if (line_.empty()) {
    taken = begin_body();
  } else {
    taken = take_header();
  }
  line_.clear();
  return taken;
}

// "HTTP/1.1 200 OK"
Status HttpReplyReader::take_status_line() {
  const std::string_view line = line_;
  constexpr std::string_view kProtocol = "HTTP/1.";
  constexpr std::size_t kCodeAt = kProtocol.size() + 2;
  if (!line.starts_with(kProtocol) || line.size() < kCodeAt + 3 || line[kCodeAt - 1] != ' ' ||
      !parse_number(line.substr(kCodeAt, 3), status_, 10) || status_ < 100)
    return malformed("no status line");
  keeps_connection_ = line[kProtocol.size()] != '0';
  has_status_line_ = true;
  return Ok{};
}

Status HttpReplyReader::take_header() {
  const std::size_t colon = line_.find(':');
  if (colon == std::string::npos) return malformed("header without a colon");
  const std::string_view name = std::string_view(line_).substr(0, colon);
  const std::string_view value = trimmed(std::string_view(line_).substr(colon + 1));
  if (same_word(name, "Connection")) {
    keeps_connection_ = keeps_connection_ && !same_word(value, "close");
  } else if (same_word(name, "Transfer-Encoding")) {
    if (!same_word(value, "chunked")) return malformed("unsupported Transfer-Encoding");
    is_chunked_ = true;
  } else if (same_word(name, "Content-Length")) {
    if (!parse_number(value, left_, 10)) return malformed("invalid Content-Length");
    has_length_ = true;
  }
  return Ok{};
}

Status HttpReplyReader::begin_body() {
  constexpr int kNoContent = 204;
  constexpr int kNotModified = 304;
  if (status_ < 200) {  // interim; the final reply follows
    has_status_line_ = false;
    return Ok{};
  }
  if (status_ == kNoContent || status_ == kNotModified) {
    part_ = Part::kDone;
  } else if (is_chunked_) {
    part_ = Part::kChunkLine;
  } else if (has_length_) {
    part_ = left_ == 0 ? Part::kDone : Part::kSized;
  } else {
    part_ = Part::kUntilClose;
  }
  return Ok{};
}

// "1a2b; extension"
Status HttpReplyReader::take_chunk_line() {
  const std::string_view size = trimmed(std::string_view(line_).substr(0, line_.find(';')));
  const bool is_number = parse_number(size, left_, 16);
  line_.clear();
  if (!is_number) return malformed("invalid chunk size");
  part_ = left_ == 0 ? Part::kTrailer : Part::kChunk;
  return Ok{};
}

}  // namespace sf::client
