// Progress: what long work is at. Called often; whoever shows it decides how often that is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sf::roots {

struct ProgressStep {
  std::string what;         // "unpacking layer 2 of 5"
  std::uint64_t done = 0;   // bytes
  std::uint64_t total = 0;  // 0: nobody knows
};

using Progress = std::function<void(const ProgressStep&)>;  // may be empty

inline void report(const Progress& progress, const ProgressStep& step) {
  if (progress) progress(step);
}

}  // namespace sf::roots
