// Lists and counts the processes of a live branch besides its init, its shell and the holder of its
// descriptors. Reads the host's /proc; the caller is outside of the branch.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/branch_facts.h"

namespace sf::waypoint {

// The processes that every branch has. Pids in the caller's PID namespace; 0: none.
struct OwnProcesses {
  pid_t init = 0;
  pid_t shell = 0;
  pid_t holder = 0;
  bool contains(pid_t pid) const { return pid == init || pid == shell || pid == holder; }
};

// Pid and start time, since the kernel reuses pids.
using ProcessSet = std::set<std::pair<pid_t, std::uint64_t>>;

// Without zombies. Requires: own.init is alive.
std::vector<pid_t> background_processes(const OwnProcesses& own);
ProcessSet with_start_times(const std::vector<pid_t>& processes);
// Counts resident memory and processes. Does not set BranchFacts::at_prompt.
BranchFacts count_processes(const OwnProcesses& own);

}  // namespace sf::waypoint
