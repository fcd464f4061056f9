// Findings of `statefork doctor` about backends over external tools.
#pragma once

#include <vector>

#include "backends/backend_entry.h"
#include "waypoint/host/doctor.h"

namespace sf::backends {

// One finding per backend. `helper_dir`: see WaypointOptions.
std::vector<waypoint::Finding> backend_findings(const Tools& tools, const std::string& helper_dir);

}  // namespace sf::backends
