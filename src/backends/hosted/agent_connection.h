// The way to an agent in a container on this host's own kernel.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/fd.h"

namespace sf::backends {

// `pid`: of the agent, as seen from here. kNotFound: it is gone; kBusy: it does not listen yet.
Result<os::UniqueFd> connect_agent(pid_t pid);

}  // namespace sf::backends
