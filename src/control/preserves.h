// Preserves: the parts of a session that a backend restores. It is a claim; the equivalence suite
// checks it in both directions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::control {

class Preserves {
 public:
  enum Part : std::uint8_t {
    kFiles = 1,
    kShell = 2,  // working directory, variables, functions, options, jobs
    kProcesses = 4,
    kMemory = 8,
    kLocalServices = 16,
  };

  constexpr Preserves() = default;
  constexpr Preserves(Part part)
      : parts_(part) {}  // NOLINT: implicit, so that kFiles | kShell reads
  static constexpr Preserves everything() { return from_bits(31); }
  static constexpr Preserves from_bits(unsigned bits) {
    Preserves result;
    result.parts_ = static_cast<std::uint8_t>(bits & 31U);
    return result;
  }

  constexpr bool has(Preserves other) const { return (parts_ & other.parts_) == other.parts_; }
  constexpr unsigned bits() const { return parts_; }
  friend constexpr Preserves operator|(Preserves a, Preserves b) {
    return from_bits(static_cast<unsigned>(a.parts_) | b.parts_);
  }
  friend constexpr bool operator==(Preserves, Preserves) = default;

 private:
  std::uint8_t parts_ = 0;
};

constexpr Preserves operator|(Preserves::Part a, Preserves::Part b) {
  return Preserves(a) | Preserves(b);
}

// "files,shell,processes"; "nothing" for the empty set. The API uses the same words.
std::string to_words(Preserves preserves);
Result<Preserves> preserves_from_words(std::string_view words);

}  // namespace sf::control
