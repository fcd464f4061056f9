// Scenarios of the table in which a backend restores less than it claims, and the reason. The test
// fails if a difference is missing here, or if a listed one does not occur.
#pragma once

#include <string>
#include <vector>

namespace sf::test {

struct KnownDifference {
  std::string backend;
  std::string why;
  std::vector<std::string> scenarios;
  enum class Kind {
    kLost,
    kByChance,      // may or may not be restored; not checked
    kCannotBeMade,  // the backend cannot have this state
  };
  Kind kind = Kind::kLost;
};

const std::vector<KnownDifference>& known_differences();
// Null if the state must be restored.
const KnownDifference* known_difference(const std::string& backend, const std::string& scenario);

}  // namespace sf::test
