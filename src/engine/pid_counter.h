// The counter from which a PID namespace takes its next pid. A restore sets it, so that new
// processes get the pids they would have got without the restore.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/fd.h"

namespace sf::waypoint {

// The last pid given in the namespace of `member`. Leaves the counter as it was.
Result<pid_t> read_pid_counter(pid_t member);
// A write sets the counter of the writer's own namespace, no matter where the file was opened.
Result<os::UniqueFd> open_pid_counter();
Status write_pid_counter(pid_t member, pid_t last);

}  // namespace sf::waypoint
