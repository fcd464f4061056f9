// Chooses the engine that a branch's configuration asks for. `auto` tries the native engine and
// falls back to CRIU. An image is restored by the engine that made it.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace sf::waypoint {

std::unique_ptr<ProcessEngine> make_chosen_engine(std::unique_ptr<ProcessEngine> native,
                                                  std::unique_ptr<ProcessEngine> criu);

}  // namespace sf::waypoint
