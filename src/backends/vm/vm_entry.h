#pragma once

#include "backends/backend_entry.h"

namespace sf::backends {

BackendEntry vm_entry();

}  // namespace sf::backends
