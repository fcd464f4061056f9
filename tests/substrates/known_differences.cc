#include "known_differences.h"

#include <algorithm>

namespace sf::test {

const std::vector<KnownDifference>& known_differences() {
  static const std::vector<KnownDifference> all = {};
  return all;
}

bool is_known(const std::string& backend, const std::string& scenario) {
  return std::ranges::any_of(known_differences(), [&](const KnownDifference& known) {
    return known.backend == backend && std::ranges::count(known.scenarios, scenario) > 0;
  });
}

}  // namespace sf::test
