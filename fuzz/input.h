// Helpers of the fuzzers: split an input into parts, and check errors.
//
// A fuzzer is a function sf::fuzz::<name>(input) that aborts (SF_CHECK) if a property does not
// hold. It must be fast, depend only on its input, and leave no files behind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace sf::fuzz {

// Takes numbers and texts from the front of an input. Missing bytes read as 0 or empty.
class Input {
 public:
  explicit Input(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (char c : take(size)) value = value << 8U | static_cast<unsigned char>(c);
    return value;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t word() { return static_cast<std::uint16_t>(number(2)); }
  bool flag() { return byte() % 2 == 1; }

  // The text before `end`, which is consumed as well; everything if `end` is missing. Keeps seeds
  // readable.
  std::string_view until(char end) {
    std::string_view text = take(std::min(left_.find(end), left_.size()));
    take(1);
    return text;
  }
  std::string_view take(std::size_t size) {
    std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest() { return take(left_.size()); }
  bool is_empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// Splits the bytes into pieces of 1 to `largest` bytes. Deterministic.
inline std::vector<std::string_view> cut(std::string_view bytes, std::size_t largest) {
  std::vector<std::string_view> pieces;
  std::uint32_t state = 1;
  while (!bytes.empty()) {
    state = state * 1664525U + 1013904223U;
    std::string_view piece =
        bytes.substr(0, 1 + (state >> 16U) % std::max<std::size_t>(largest, 1));
    pieces.push_back(piece);
    bytes.remove_prefix(piece.size());
  }
  return pieces;
}

// Every error has a message.
inline void check_clear(const Error& error) {
  SF_CHECK(!error.message.empty());
  SF_CHECK(error.describe().starts_with(error.message));
}
inline void check_clear(const Error& error, ErrorCode code) {
  check_clear(error);
  SF_CHECK(error.code == code);
}

}  // namespace sf::fuzz
