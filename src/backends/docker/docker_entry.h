#pragma once

#include "backends/backend_entry.h"

namespace sf::backends {

BackendEntry docker_entry();

}  // namespace sf::backends
