#pragma once

#include "backends/backend_entry.h"

namespace sf::backends {

BackendEntry gvisor_entry();

}  // namespace sf::backends
