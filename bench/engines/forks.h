// What many forks of one large session cost: time, and memory of the host.
#pragma once

#include "base/result.h"
#include "table.h"
#include "waypoint/waypoint.h"

namespace sf::bench {

// Fifty forks of 256 MB with the native engine, alive at once. Another engine would need 50 times
// 256 MB.
Result<Table> measure_forks(waypoint::Waypoint& manager);

}  // namespace sf::bench
