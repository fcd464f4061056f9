// How a virtual machine becomes ready for the agent, which is its first and only init: drivers, the
// root from its disk, the kernel's own file systems, the loopback.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::agent {

// Requires: the caller is PID 1 of an initial RAM disk with /modules (in the order of their names).
Status boot_guest();
// The port on which the host is, once its driver is there: /dev/vport0p1 or the like.
Result<std::string> find_host_port();

}  // namespace sf::agent
