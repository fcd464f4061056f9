// Connects to an agent in a container that uses this host's kernel.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/fd.h"

namespace sf::backends {

// `pid`: the agent's pid on the host. kNotFound: the agent has ended; kBusy: it is not listening
// yet.
Result<os::UniqueFd> connect_agent(pid_t pid);

}  // namespace sf::backends
