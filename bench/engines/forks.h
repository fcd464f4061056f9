// Measures the time and the host memory of many forks of a large session.
#pragma once

#include "base/result.h"
#include "table.h"
#include "waypoint/waypoint.h"

namespace sf::bench {

// Makes fifty concurrent forks of a 256 MB session with the native engine. Another engine would
// need 50 times 256 MB.
Result<Table> measure_forks(waypoint::Waypoint& manager);

}  // namespace sf::bench
