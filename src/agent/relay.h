// The relay: carries connections from outside, which arrive on one stream, to the agent's socket.
// For substrates where the socket itself is out of the host's reach.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace sf::agent {

// Returns when the stream ends.
Status run_relay(os::UniqueFd in, os::UniqueFd out, const std::string& socket_path);

}  // namespace sf::agent
