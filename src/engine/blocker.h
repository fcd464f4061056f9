// Blocker: one object that prevents a capture, with the reason and advice. Pure.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint {

struct Blocker {
  pid_t pid = 0;  // in the branch's PID namespace
  std::string process;
  std::string what;  // "descriptor 5 (io_uring)"
  std::string why;
  std::string advice;
};

// kUnsupported. The message names all blockers; the details hold them as JSON. `remark` is appended
// to the message.
Error refuse_capture(const std::vector<Blocker>& blockers, const std::string& remark = {});

}  // namespace sf::waypoint
