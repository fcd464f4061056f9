// RestorePlan: how to restore a node's state: a physical snapshot (or a new start of the session)
// and the commands to replay from there. Pure.
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
  std::optional<PhysicalRef> from;  // nullopt: start the session again
  std::vector<ReplayStep> steps;    // copies: the tree may change meanwhile
  microseconds replay_cost{0};
  std::optional<ReplayProof> proof;  // the target's
  // A node of the path, the anchor included, at which a process could act on its own. The log does
  // not contain such actions. nullopt: there is no such node.
  std::optional<NodeId> restless;

  // Whether the snapshot alone holds the target's state.
  bool is_exact() const { return from && steps.empty() && !restless; }
};

// restore(v) = restore(p(v)), then every command of log(p(v), v) in order. kUnsupported if an entry
// of the path cannot be replayed. Requires: the target is in the tree.
Result<RestorePlan> plan_restore(const BranchTree& tree, const NodeId& target);

}  // namespace sf::control
