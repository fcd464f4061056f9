#include "wire/frame.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "os/error.h"
#include "os/socket.h"

namespace sf::wire {
namespace {

constexpr std::size_t kPrefix = 8;

void put_u32(std::string& out, std::size_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<char>((value >> shift) & 0xffU));
}

std::size_t get_u32(const char* bytes) {
  std::size_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  return value;
}

Error lost(const std::string& how) {
  return fail(ErrorCode::kSessionLost, "the live branch has ended" + how,
              "restore one of its nodes, or fork one");
}

}  // namespace

std::string encode_frame(const Frame& frame) {
  // Replace invalid UTF-8 instead of throwing: an error message may quote any bytes.
  std::string header = frame.header.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(kPrefix + header.size() + frame.payload.size());
  put_u32(out, header.size());
  put_u32(out, frame.payload.size());
  out += header;
  out += frame.payload;
  return out;
}

Result<std::optional<Frame>> FrameReader::next() {
  if (buffer_.size() - used_ < kPrefix) return std::optional<Frame>();
  std::size_t header = get_u32(buffer_.data() + used_);
  std::size_t payload = get_u32(buffer_.data() + used_ + 4);
  if (header > kMaxHeader || payload > kMaxPayload)
    return fail(ErrorCode::kCorrupt, "the frame is larger than allowed");
  if (buffer_.size() - used_ < kPrefix + header + payload) return std::optional<Frame>();
  Frame frame;
  frame.header = Json::parse(
      buffer_.begin() + static_cast<std::ptrdiff_t>(used_ + kPrefix),
      buffer_.begin() + static_cast<std::ptrdiff_t>(used_ + kPrefix + header), nullptr, false);
  if (!frame.header.is_object())
    return fail(ErrorCode::kCorrupt, "the frame header is not a JSON object");
  frame.payload = buffer_.substr(used_ + kPrefix + header, payload);
  used_ += kPrefix + header + payload;
  if (used_ == buffer_.size() || used_ > (1U << 20U)) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  return std::optional<Frame>(std::move(frame));
}

Status send_frame(int fd, const Frame& frame) {
  std::string bytes = encode_frame(frame);
  if (frame.payload.size() > kMaxPayload ||
      bytes.size() - kPrefix - frame.payload.size() > kMaxHeader)
    return invalid("the request is larger than allowed",
                   "write the data to a file in the branch first");
  std::string_view left = bytes;
  while (!left.empty()) {
    ssize_t n = ::send(fd, left.data(), left.size(), MSG_NOSIGNAL);
    if (n < 0) {
      if (errno == EINTR) continue;
      return lost(": " + os::errno_text(errno));
    }
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  return Ok{};
}

Result<Frame> receive_frame(int fd, FrameReader& reader, Deadline deadline) {
  char buffer[65536];
  for (;;) {
    SF_TRY_ASSIGN(std::optional<Frame> frame, reader.next());
    if (frame) return std::move(*frame);
    SF_TRY_ASSIGN(bool ready, os::wait_readable(fd, deadline));
    if (!ready) return fail(ErrorCode::kTimedOut, "the keeper does not answer");
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return lost("");
    reader.feed({buffer, static_cast<std::size_t>(n)});
  }
}

Json error_to_json(const Error& error) {
  return {{"code", to_string(error.code)},
          {"errno", error.os_errno},
          {"message", error.message},
          {"hint", error.hint},
          {"details", error.details}};
}

Error error_from_json(const Json& json) {
  auto text = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string()
               ? json[key].get<std::string>()
               : std::string();
  };
  Error error;
  error.code = error_code_from(text("code")).value_or(ErrorCode::kOs);
  if (json.is_object() && json.contains("errno") && json["errno"].is_number_integer())
    error.os_errno = json["errno"].get<int>();
  error.message = text("message");
  if (error.message.empty()) error.message = "unknown error";
  error.hint = text("hint");
  if (!json.is_object() || !json.contains("details") || !json["details"].is_object()) return error;
  for (const auto& [key, value] : json["details"].items()) {
    if (value.is_string()) error.details[key] = value.get<std::string>();
  }
  return error;
}

}  // namespace sf::wire
