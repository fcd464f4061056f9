// What is around a tree and stays as it is, or says when it does not: the engine's own standing,
// and the mounts of the branch.
#pragma once

#include <optional>

#include "engine/native/facts.h"

namespace sf::waypoint::native {

class HostContext {
 public:
  // Puts them into `facts`; `init` is the branch's, always the same. `moved`: files may have been,
  // which the list of mounts does not tell of.
  Status add_to(TreeFacts& facts, pid_t init, bool moved);

 private:
  Status read_mounts(pid_t init, bool moved);

  std::optional<TreeFacts> own_;  // namespaces, score, what the kernel can do
  os::UniqueFd mount_list_;       // of init
  std::vector<MountFacts> mounts_;
};

}  // namespace sf::waypoint::native
