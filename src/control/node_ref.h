// References to nodes, as people write them: an id, a name, HEAD (where the branch stands), each
// with ~N for its N-th ancestor: n17, before-upgrade, HEAD, HEAD~2.
#pragma once

#include <string_view>

#include "base/result.h"
#include "control/branch_tree.h"

namespace sf::control {

// kInvalidArgument: no such way to write it. kNotFound: nothing is called that; the message says
// what was looked for. Costs O(N) for ~N.
Result<NodeId> resolve(const BranchTree& tree, const BranchId& branch, std::string_view ref);

}  // namespace sf::control
