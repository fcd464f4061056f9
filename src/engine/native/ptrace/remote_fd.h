// Duplicates a descriptor of another process into this one: the same open file description.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/fd.h"

namespace sf::waypoint::native {

Result<os::UniqueFd> descriptor_of(pid_t pid, int number);

}  // namespace sf::waypoint::native
