// RestorePlan: how a node's state comes back. Pure: from the tree to a physical snapshot (or a
// fresh start of the session) and the commands to replay from there.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "control/branch_tree.h"

namespace sf::control {

struct ReplayStep {
  NodeId node;  // the entry is number `index` of this node's log
  std::size_t index = 0;
  LogEntry entry;
};

struct RestorePlan {
  NodeId target;
  NodeId anchor;                    // the nearest physical ancestor, or the root
  std::optional<PhysicalRef> from;  // nothing: start the session anew
  std::vector<ReplayStep> steps;    // copies: the plan is carried out while the tree may change
  microseconds replay_cost{0};
  std::optional<ReplayProof> proof;  // the target's
  // A node on the way, the anchor included, at which something could act by itself: what that did
  // is in no log. Nothing: there is none.
  std::optional<NodeId> restless;

  // Whether the snapshot alone is the target's state.
  bool is_exact() const { return from && steps.empty() && !restless; }
};

// restore(v) = restore(p(v)); then every command of log(p(v), v) in order. kUnsupported when
// something on the way cannot be done again. Requires: the target is in the tree.
Result<RestorePlan> plan_restore(const BranchTree& tree, const NodeId& target);

}  // namespace sf::control
