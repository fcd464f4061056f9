// Capability sets by name. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint {

// What root in a branch may do: a container's usual set, without mknod (there is no device filter).
std::uint64_t container_capabilities();
// "CAP_CHOWN" and so on, as OCI configurations name them.
std::vector<std::string> capability_names(std::uint64_t set);
// The set plus more by name ("sys_admin", "CAP_SYS_ADMIN", "all"); an unknown name is an error that
// lists the known.
Result<std::uint64_t> with_capabilities(std::uint64_t set, const std::vector<std::string>& names);

}  // namespace sf::waypoint
