// Where the environment says that other people's tools are.
#pragma once

#include "backends/backend_entry.h"
#include "base/result.h"

namespace sf::backends {

Result<Tools> tools_from_environment();

}  // namespace sf::backends
