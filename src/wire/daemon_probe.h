// Whether a daemon answers at a socket. A connection alone proves little: what a daemon that was
// killed had just forked holds its socket for a moment longer.
#pragma once

#include <string>

#include "base/clock.h"

namespace sf::wire {

bool daemon_answers(const std::string& socket_path, Deadline deadline);

}  // namespace sf::wire
