#pragma once

#include "backends/backend_entry.h"

namespace sf::backends {

BackendEntry podman_entry();         // whole states
BackendEntry podman_commit_entry();  // files alone

}  // namespace sf::backends
