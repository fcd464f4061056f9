// Capability sets by name. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint {

// What root in a branch may do: a container's usual set, without mknod (there is no device filter).
std::uint64_t container_capabilities();
// The set plus more by name ("sys_admin", "CAP_SYS_ADMIN", "all"); an unknown name is an error that
// lists the known.
Result<std::uint64_t> with_capabilities(std::uint64_t set, const std::vector<std::string>& names);

}  // namespace sf::waypoint
