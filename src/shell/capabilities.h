// Capability sets by name. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint {

// The capabilities of root in a branch: a container's usual set without mknod, because a branch has
// no device filter.
std::uint64_t container_capabilities();
// The names as in an OCI configuration, such as "CAP_CHOWN".
std::vector<std::string> capability_names(std::uint64_t set);
// Adds capabilities by name ("sys_admin", "CAP_SYS_ADMIN", "all") to the set. An unknown name is an
// error; its hint lists the known names.
Result<std::uint64_t> with_capabilities(std::uint64_t set, const std::vector<std::string>& names);

}  // namespace sf::waypoint
