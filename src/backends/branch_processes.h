// What runs in a live branch, seen from outside through /proc.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "control/backend.h"
#include "os/process.h"
#include "waypoint/waypoint.h"

namespace sf::backends {

// Pid and start time, since pids are used again. Those that ended and wait to be reaped count too.
using ProcessSet = std::set<std::pair<pid_t, unsigned long long>>;
ProcessSet all_processes(pid_t init);
bool is_running(pid_t pid);

// Those that run and are neither init, nor the shell, nor the holder.
std::vector<pid_t> background_processes(const waypoint::BranchPids& pids);
control::BranchFacts branch_facts(const waypoint::BranchPids& pids);

}  // namespace sf::backends
