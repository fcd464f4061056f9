// What the native engine declines: found before anything is touched, and named.
#pragma once

#include <string>
#include <vector>

#include "scenario.h"

namespace sf::equivalence {

struct Limit {
  Scenario scenario;
  std::string reason;  // part of what the error says
};
std::vector<Limit> native_limits();

}  // namespace sf::equivalence
