#include "wire/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sf::wire {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> make_values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}

constexpr std::array<std::int8_t, 256> kValues = make_values();

Error not_base64() { return invalid("not base64", "RFC 4648, with padding, without line ends"); }

// The length of a UTF-8 sequence by its first byte; 0: not a valid first byte.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// The range of the second byte excludes overlong forms, surrogates and code points above U+10FFFF.
bool is_second(unsigned char first, unsigned char second) {
  if (first == 0xE0) return second >= 0xA0 && second <= 0xBF;
  if (first == 0xED) return second >= 0x80 && second <= 0x9F;
  if (first == 0xF0) return second >= 0x90 && second <= 0xBF;
  if (first == 0xF4) return second >= 0x80 && second <= 0x8F;
  return (second & 0xC0U) == 0x80U;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = (group << 8U) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kAlphabet[(group >> (18U - 6U * k)) & 63U] : '=';
  }
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return not_base64();
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::size_t count = 4;
    if (i + 4 == text.size() && text[i + 3] == '=') count = text[i + 2] == '=' ? 2 : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      int value = k < count ? kValues[static_cast<unsigned char>(text[i + k])] : 0;
      if (value < 0) return not_base64();
      group = (group << 6U) | static_cast<std::uint32_t>(value);
    }
    // Unused bits must be zero, so that each value has exactly one encoding.
    if (count < 4 && (group & ((1U << (8U * (4U - count))) - 1U)) != 0) return not_base64();
    for (std::size_t k = 0; k + 1 < count; ++k)
      bytes += static_cast<char>((group >> (16U - 8U * k)) & 255U);
  }
  return bytes;
}

bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    auto first = static_cast<unsigned char>(bytes[i]);
    std::size_t length = sequence_length(first);
    if (length == 0 || length > bytes.size() - i) return false;
    for (std::size_t k = 1; k < length; ++k) {
      auto next = static_cast<unsigned char>(bytes[i + k]);
      if (k == 1 ? !is_second(first, next) : (next & 0xC0U) != 0x80U) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace sf::wire
