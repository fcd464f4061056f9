// Scenarios of the table in which a backend brings back less than its claims say, and why. The
// test fails for one that is missing here, and for one that is here and comes back.
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
    kByChance,      // it may come back, and nothing is asked
    kCannotBeMade,  // there is no such state
  };
  Kind kind = Kind::kLost;
};

const std::vector<KnownDifference>& known_differences();
// Nothing when the state has to come back.
const KnownDifference* known_difference(const std::string& backend, const std::string& scenario);

}  // namespace sf::test
