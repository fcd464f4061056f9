// Progress: the current step of a long operation. Reported often; the receiver decides how often to
// show it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sf::roots {

struct ProgressStep {
  std::string what;         // "unpacking layer 2 of 5"
  std::uint64_t done = 0;   // bytes
  std::uint64_t total = 0;  // 0: unknown
};

using Progress = std::function<void(const ProgressStep&)>;  // may be empty

inline void report(const Progress& progress, const ProgressStep& step) {
  if (progress) progress(step);
}

}  // namespace sf::roots
