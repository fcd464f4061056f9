#include "scenario.h"

namespace sf::equivalence {

std::vector<Scenario> feature_scenarios(std::span<const FeatureRow> rows) {
  std::vector<Scenario> scenarios;
  for (const FeatureRow& row : rows) {
    Scenario scenario;
    scenario.name = row.name;
    scenario.prepare = {std::string("stateful start ") + row.feature + " /w/state"};
    scenario.probe = {"stateful ask /w/state"};
    scenario.expect = "=";
    scenario.asking = row.asking;
    scenarios.push_back(scenario);
  }
  return scenarios;
}

}  // namespace sf::equivalence
