// Brings a captured tree back: as new processes, in new PID and mount namespaces.
#pragma once

#include "base/result.h"
#include "waypoint/cradle.h"
#include "waypoint/engine.h"
#include "waypoint/native/image.h"
#include "waypoint/native/late_root.h"
#include "waypoint/native/watches.h"

namespace sf::waypoint::native {

// Requires: the caller lives in the branch's other namespaces. Memory that comes later is given to
// `watches`. The tree dies on any failure.
Result<RestoredTree> restore_tree(const TreeImage& tree, const RestoreRequest& request,
                                  const LateRoot& root, Cradle& cradle, Watches& watches);

}  // namespace sf::waypoint::native
