// States that the native engine declines before it changes anything, with a reason.
#pragma once

#include <string>
#include <vector>

#include "scenario.h"

namespace sf::equivalence {

struct Limit {
  Scenario scenario;
  std::string reason;  // a part of the error message
};
std::vector<Limit> native_limits();

}  // namespace sf::equivalence
