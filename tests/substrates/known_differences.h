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
  bool is_certain = true;  // else the state comes back by chance, and nothing is asked
};

const std::vector<KnownDifference>& known_differences();
// Nothing when the state has to come back.
const KnownDifference* known_difference(const std::string& backend, const std::string& scenario);

}  // namespace sf::test
