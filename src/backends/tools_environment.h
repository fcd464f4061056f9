// Reads the locations of external tools from the environment.
#pragma once

#include "backends/backend_entry.h"
#include "base/result.h"

namespace sf::backends {

Result<Tools> tools_from_environment();

}  // namespace sf::backends
