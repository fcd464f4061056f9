// Facts from outside a tree that rarely change: the engine's own attributes, and the branch's
// mounts.
#pragma once

#include <optional>

#include "engine/native/facts.h"

namespace sf::waypoint::native {

class HostContext {
 public:
  // Adds them to `facts`. `init`: the branch's init, the same at every call. `moved`: reads the
  // mounts again, since files may have been moved, which the kernel does not report as a change.
  Status add_to(TreeFacts& facts, pid_t init, bool moved);

 private:
  Status read_mounts(pid_t init, bool moved);

  std::optional<TreeFacts> own_;  // namespaces, OOM score, kernel features
  os::UniqueFd mount_list_;       // init's mountinfo
  std::vector<MountFacts> mounts_;
};

}  // namespace sf::waypoint::native
