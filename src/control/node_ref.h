// References to nodes, as users write them: an id, a name, or HEAD (the node of the branch), each
// with an optional ~N for its N-th ancestor: n17, before-upgrade, HEAD, HEAD~2.
#pragma once

#include <string_view>

#include "base/result.h"
#include "control/branch_tree.h"

namespace sf::control {

// kInvalidArgument: malformed reference. kNotFound: no such node; the message says which. Costs
// O(N) for ~N.
Result<NodeId> resolve(const BranchTree& tree, const BranchId& branch, std::string_view ref);

}  // namespace sf::control
