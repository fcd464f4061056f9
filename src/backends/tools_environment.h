// Where the environment says that other people's tools are.
#pragma once

#include "backends/backend_entry.h"
#include "base/result.h"

namespace sf::backends {

// Variables that are passed on to a daemon which a client starts.
inline constexpr const char* kToolVariables[] = {
    "DOCKER_HOST",     "CONTAINERS_CONF",    "CONTAINERS_STORAGE_CONF",
    "STATEFORK_RUNSC", "STATEFORK_VM_GUEST", "STATEFORK_VM_ACCELERATOR"};

Result<Tools> tools_from_environment();

}  // namespace sf::backends
