// Whether a daemon answers at a socket. A connection alone does not prove it: if a daemon is killed
// right after a fork, its child still holds the socket for a short time.
#pragma once

#include <string>

#include "base/clock.h"

namespace sf::wire {

bool daemon_answers(const std::string& socket_path, Deadline deadline);

}  // namespace sf::wire
