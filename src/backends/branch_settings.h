// From the control plane's words for a new session to Waypoint's.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "control/start_config.h"
#include "shell/branch_config.h"

namespace sf::backends {

// In StartConfig::extra: os::ResourceLimits::text() of the session's first process.
inline constexpr std::string_view kResourceLimits = "rlimits";

// A session that is started again, by another daemon, has the resource limits that it had.
control::StartConfig with_own_limits(control::StartConfig config);

// Pure. kUnsupported names what Waypoint has no word for. `label` says whose the branch is: the
// processes of backend `criu` are captured by CRIU, those of others by the usual engine.
Result<waypoint::BranchConfig> branch_config(const control::StartConfig& config,
                                             const std::string& label);

}  // namespace sf::backends
