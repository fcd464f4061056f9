// Formats the doctor's findings. Pure.
#pragma once

#include <string>
#include <vector>

#include "waypoint/host/doctor.h"

namespace sf::cli {

// One aligned line per need, followed by the cost and the fix if it is not met; then a summary.
std::string doctor_report(const std::vector<waypoint::Finding>& findings);

}  // namespace sf::cli
