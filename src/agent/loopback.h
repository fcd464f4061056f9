// Sets the loopback device of another process's network namespace up. Container tools leave it down
// when they restore a container, and then sockets that are bound to it cannot be restored.
#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace sf::agent {

// The calling thread stays in that namespace. Requires: the caller may enter it.
Status raise_loopback_of(pid_t pid);
// An OCI hook: reads the container's state from standard input.
Status raise_loopback_of_container();

}  // namespace sf::agent
