// From the control plane's words for a new session to Waypoint's. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "control/start_config.h"
#include "waypoint/branch_config.h"

namespace sf::backends {

// kUnsupported names what Waypoint has no word for. `label` says whose the branch is.
Result<waypoint::BranchConfig> branch_config(const control::StartConfig& config,
                                             const std::string& label);

}  // namespace sf::backends
