// Who owns a store, and where one may lie.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace sf::waypoint {

Status check_store_location(const std::string& dir);
// The store is the caller's for as long as the descriptor is open. kBusy: it is another's.
Result<os::UniqueFd> lock_store(const std::string& dir);

}  // namespace sf::waypoint
