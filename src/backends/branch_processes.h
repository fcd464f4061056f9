// What runs in a live branch, seen from outside through /proc.
#pragma once

#include <sys/types.h>

#include <vector>

#include "waypoint/waypoint.h"

namespace sf::backends {

// Those that run and are neither init, nor the shell, nor the holder.
std::vector<pid_t> background_processes(const waypoint::BranchPids& pids);

}  // namespace sf::backends
