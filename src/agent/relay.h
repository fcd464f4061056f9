// The relay: forwards connections that the host multiplexes on one stream to the agent's socket.
// For substrates in which the host cannot reach that socket itself.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace sf::agent {

// Returns when the stream ends.
Status run_relay(os::UniqueFd in, os::UniqueFd out, const std::string& socket_path);

}  // namespace sf::agent
