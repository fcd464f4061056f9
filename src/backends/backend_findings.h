// The doctor's words about backends over other people's tools.
#pragma once

#include <vector>

#include "backends/backend_entry.h"
#include "waypoint/host/doctor.h"

namespace sf::backends {

// One for each; `helper_dir` as in WaypointOptions.
std::vector<waypoint::Finding> backend_findings(const Tools& tools, const std::string& helper_dir);

}  // namespace sf::backends
