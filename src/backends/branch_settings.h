// Converts the settings of a new session to Waypoint's settings.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "control/start_config.h"
#include "shell/branch_config.h"

namespace sf::backends {

// Key in StartConfig::extra: os::ResourceLimits::text() of the session's first process.
inline constexpr std::string_view kResourceLimits = "rlimits";

// Records this process's resource limits, so that another daemon starts the session with the same
// ones.
control::StartConfig with_own_limits(control::StartConfig config);

// Pure. kUnsupported, naming the setting, if Waypoint does not support it. `label` is the name of
// the backend that owns the branch: backend `criu` always captures processes with CRIU, the others
// with the configured engine.
Result<waypoint::BranchConfig> branch_config(const control::StartConfig& config,
                                             const std::string& label);

}  // namespace sf::backends
