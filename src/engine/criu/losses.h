// Processes that a failed capture has cost. An engine that is killed may leave its code in a
// process, which then dies of it: nobody can help that, but it must not go unsaid.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/process.h"

namespace sf::waypoint::criu {

struct Running {
  os::ProcessKey key;
  std::string name;  // with its pid as the branch sees it
};
std::vector<Running> running_in(pid_t init);

// `error` as it is, or with the names of those that have ended since.
Error with_losses(Error error, const std::vector<Running>& before);

}  // namespace sf::waypoint::criu
