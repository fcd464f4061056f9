// The counter from which a PID namespace takes its next pid. Restored with a tree, so that new
// processes get the pids they would have got.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/fd.h"

namespace sf::waypoint {

// The last pid given in the namespace of `member`. Leaves the counter as it was.
Result<pid_t> read_pid_counter(pid_t member);
// Who writes here sets the counter of its own namespace, wherever this was opened.
Result<os::UniqueFd> open_pid_counter();
Status write_pid_counter(pid_t member, pid_t last);

}  // namespace sf::waypoint
