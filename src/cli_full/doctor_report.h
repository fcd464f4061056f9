// The doctor's findings for people. Pure.
#pragma once

#include <string>
#include <vector>

#include "waypoint/host/doctor.h"

namespace sf::cli {

// One aligned line per need; below what is not ok, what that costs and how to mend it; the summary
// at the end.
std::string doctor_report(const std::vector<waypoint::Finding>& findings);

}  // namespace sf::cli
