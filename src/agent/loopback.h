// The loopback of another process's network namespace. Container tools leave it down when they
// restore one, and sockets on it could not come back.
#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace sf::agent {

// Requires: a caller that may enter the namespace; its thread stays there.
Status raise_loopback_of(pid_t pid);
// As an OCI hook: the container's state comes on standard input.
Status raise_loopback_of_container();

}  // namespace sf::agent
