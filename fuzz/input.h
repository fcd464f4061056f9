// What the fuzzers share: taking an input apart, and what every error must have.
//
// A fuzzer is a function sf::fuzz::<name>(input) that ends the program (SF_CHECK) when something
// does not hold. It must be quick, depend on nothing but its input, and leave nothing behind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace sf::fuzz {

// Takes numbers and texts off the front of an input; what is not there is 0 or empty.
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

  // Up to `end`, which goes too; everything when it does not occur. Seeds stay readable this way.
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

// The bytes in pieces of 1 to `largest` bytes, always the same ones.
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

// Bad input is answered with an error that says something.
inline void check_clear(const Error& error) {
  SF_CHECK(!error.message.empty());
  SF_CHECK(error.describe().starts_with(error.message));
}
inline void check_clear(const Error& error, ErrorCode code) {
  check_clear(error);
  SF_CHECK(error.code == code);
}

}  // namespace sf::fuzz
