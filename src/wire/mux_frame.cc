#include "wire/mux_frame.h"

#include <cstring>

namespace sf::wire {
namespace {

constexpr char kEnd = '\xC0';
constexpr char kEscape = '\xDB';
constexpr char kEscapedEnd = '\xDC';
constexpr char kEscapedEscape = '\xDD';
constexpr std::size_t kMaxFrame = 4U << 20U;  // encoded
constexpr std::size_t kHead = 9;              // kind, channel, length

void put_number(std::string& out, std::uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<char>((number >> shift) & 0xFFU));
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (unsigned i = 0; i < 4; ++i)
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return number;
}

std::string unescape(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kEscape || i + 1 == text.size()) {
      bytes.push_back(text[i]);
      continue;
    }
    ++i;
    bytes.push_back(text[i] == kEscapedEnd ? kEnd : kEscape);
  }
  return bytes;
}

std::optional<MuxFrame> parse(std::string_view text) {
  const std::string bytes = unescape(text);
  if (bytes.size() < kHead) return std::nullopt;
  auto kind = static_cast<std::uint8_t>(bytes[0]);
  bool known = kind >= static_cast<std::uint8_t>(MuxFrame::Kind::kReset) &&
               kind <= static_cast<std::uint8_t>(MuxFrame::Kind::kReady);
  if (!known || number_at(bytes, 5) != bytes.size() - kHead) return std::nullopt;
  return MuxFrame{static_cast<MuxFrame::Kind>(kind), number_at(bytes, 1), bytes.substr(kHead)};
}

}  // namespace

std::string encode_mux_frame(const MuxFrame& frame) {
  std::string plain(1, static_cast<char>(frame.kind));
  put_number(plain, frame.channel);
  put_number(plain, static_cast<std::uint32_t>(frame.bytes.size()));
  plain += frame.bytes;
  std::string out;
  out.reserve(plain.size() + plain.size() / 64 + 2);
  out.push_back(kEnd);  // ends a partial frame before this one
  for (char byte : plain) {
    if (byte == kEnd) {
      out += {kEscape, kEscapedEnd};
    } else if (byte == kEscape) {
      out += {kEscape, kEscapedEscape};
    } else {
      out.push_back(byte);
    }
  }
  out.push_back(kEnd);
  return out;
}

std::optional<MuxFrame> MuxReader::next() {
  for (;;) {
    std::size_t end = buffer_.find(kEnd, used_);
    if (end == std::string::npos) {
      buffer_.erase(0, used_);
      used_ = 0;
      if (buffer_.size() > kMaxFrame) buffer_.clear();
      return std::nullopt;
    }
    std::optional<MuxFrame> frame = parse(std::string_view(buffer_).substr(used_, end - used_));
    used_ = end + 1;
    if (frame) return frame;
  }
}

}  // namespace sf::wire
