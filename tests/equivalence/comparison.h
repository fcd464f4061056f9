// What a session showed, and whether two showings are the same. Pure.
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

// Replaces what cannot be the same twice: the pid in bash's "[1] 4711", which belongs to a process
// just started, and the Date line of HTTP answers. Pids of processes that were there before are
// never hidden.
std::string mask(std::string_view output);

// Empty when both are the same but for the mask; otherwise says for a person where they part.
std::string difference(const Observations& expected, const Observations& got);

}  // namespace sf::equivalence
