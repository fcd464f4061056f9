// Processes that died during a failed capture. A killed CRIU may leave its code in a process, which
// then crashes. The engine cannot prevent that, but it reports it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/process.h"

namespace sf::waypoint::criu {

struct Running {
  os::ProcessKey key;
  std::string name;  // with its pid in the branch
};
std::vector<Running> running_in(pid_t init);

// Appends the names of the processes in `before` that have ended since, if any.
Error with_losses(Error error, const std::vector<Running>& before);

}  // namespace sf::waypoint::criu
