// What runs in a live branch besides its init, its shell and the holder of its descriptors, as
// /proc shows it to a process outside of the branch.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/live_facts.h"

namespace sf::waypoint {

// The processes that every branch has, as the caller numbers them. 0: there is none.
struct OwnProcesses {
  pid_t init = 0;
  pid_t shell = 0;
  pid_t holder = 0;
  bool contains(pid_t pid) const { return pid == init || pid == shell || pid == holder; }
};

// Pid and start time, since pids are used again.
using ProcessSet = std::set<std::pair<pid_t, std::uint64_t>>;

// Those that have not ended. Requires: own.init lives.
std::vector<pid_t> background_processes(const OwnProcesses& own);
ProcessSet with_start_times(const std::vector<pid_t>& processes);
// Resident memory and number of processes. The caller says whether the shell is at its prompt.
BranchFacts count_processes(const OwnProcesses& own);

}  // namespace sf::waypoint
