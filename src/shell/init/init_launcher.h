// Starts the branch's init as PID 1 of new PID, mount and cgroup namespaces, inside the root view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/process.h"
#include "os/resource_limits.h"
#include "shell/init/cgroup_forker.h"

namespace sf::waypoint {

struct InitPlan {
  std::string root_view;  // mount point of the branch's root in the caller's namespace
  CgroupForker* cgroup_forker = nullptr;                     // forks init
  std::uint64_t capabilities = 0;                            // bounding set
  std::optional<os::ResourceLimits> rlimits = std::nullopt;  // nothing: the caller's own
  // If set, runs instead of the init program, in the new namespaces and root; everything else is
  // still the caller's. May only make async-signal-safe calls; must not return.
  void (*instead)(void* what) = nullptr;
  void* what = nullptr;
};

// Requires: the caller already lives in the branch's network, IPC and UTS namespaces, which init
// inherits. The child dies with the calling thread.
Result<os::Child> launch_init(const InitPlan& plan);

}  // namespace sf::waypoint
