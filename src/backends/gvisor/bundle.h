// The OCI bundle of a gVisor sandbox. Pure.
#pragma once

#include <string>

#include "shell/branch_config.h"
#include "wire/json.h"

namespace sf::backends {

// `agent`: the program's path on the host.
wire::Json bundle_config(const waypoint::BranchConfig& config, const std::string& agent);

}  // namespace sf::backends
