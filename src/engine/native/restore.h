// Restores a captured tree as new processes, in new PID and mount namespaces.
#pragma once

#include "base/result.h"
#include "engine/engine.h"
#include "engine/native/async_root.h"
#include "engine/native/image.h"
#include "engine/native/memory/memory_watches.h"
#include "shell/init/cgroup_forker.h"

namespace sf::waypoint::native {

// Requires: the caller is in the branch's other namespaces. Memory that is loaded on demand is
// given to `watches`. On any failure the tree is killed.
Result<RestoredTree> restore_tree(const TreeImage& tree, const RestoreRequest& request,
                                  const AsyncRoot& root, CgroupForker& cgroup_forker,
                                  MemoryWatches& watches);

}  // namespace sf::waypoint::native
