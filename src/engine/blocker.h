// Blocker: one thing that keeps a tree from being captured, and what would help. Pure.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint {

struct Blocker {
  pid_t pid = 0;  // as the branch numbers it
  std::string process;
  std::string what;  // "descriptor 5 (io_uring)"
  std::string why;
  std::string advice;
};

// kUnsupported, with all of them in its message and, for programs, in its details. `remark` follows
// the message.
Error refuse_capture(const std::vector<Blocker>& blockers, const std::string& remark = {});

}  // namespace sf::waypoint
