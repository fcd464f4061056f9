// The lock on a store, and its valid locations.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace sf::waypoint {

Status check_store_location(const std::string& dir);
// The caller owns the store as long as the descriptor is open. Fails with kBusy if another process
// owns it.
Result<os::UniqueFd> lock_store(const std::string& dir);

}  // namespace sf::waypoint
