// Makes a policy from its name.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "control/cost_model.h"
#include "control/materialization_policy.h"

namespace sf::control {

// "eager", "lazy", "smart", "every-N" (N from 1 to 1000). `model` is the initial model of smart.
Result<std::unique_ptr<MaterializationPolicy>> make_policy(std::string_view name, CostModel model);

}  // namespace sf::control
