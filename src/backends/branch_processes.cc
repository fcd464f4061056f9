#include "backends/branch_processes.h"

#include "shell/running_processes.h"

namespace sf::backends {

std::vector<pid_t> background_processes(const waypoint::BranchPids& pids) {
  return waypoint::background_processes(
      {.init = pids.init, .shell = pids.shell, .holder = pids.holder});
}

}  // namespace sf::backends
