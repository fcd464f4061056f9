// Brings a captured tree back: as new processes, in new PID and mount namespaces.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "waypoint/engine.h"
#include "waypoint/native/image.h"

namespace sf::waypoint::native {

// Requires: the caller lives in the branch's other namespaces. The tree dies on any failure.
Result<RestoredTree> restore_tree(const TreeImage& tree, const RestoreRequest& request,
                                  const std::vector<std::string>& cgroup_procs);

}  // namespace sf::waypoint::native
