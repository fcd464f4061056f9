// The outputs of a session and their comparison. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sf::equivalence {

struct Observation {
  std::string command;
  std::string output;
  int exit_code = 0;
  bool operator==(const Observation&) const = default;
};
using Observations = std::vector<Observation>;

// Masks text that differs in every run: the pid in bash's "[1] 4711", since the job has just
// started, and the Date line of HTTP answers. Pids of processes that existed before are never
// masked.
std::string mask(std::string_view output);

// Returns a readable description of the first differences, or "" if both are equal after masking.
std::string difference(const Observations& expected, const Observations& got);

}  // namespace sf::equivalence
