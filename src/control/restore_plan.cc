#include "control/restore_plan.h"

#include <algorithm>

namespace sf::control {

Result<RestorePlan> plan_restore(const BranchTree& tree, const NodeId& target) {
  RestorePlan plan{.target = target};
  std::vector<const Node*> virtual_nodes;  // the target first
  const Node* node = tree.find(target);
  SF_CHECK(node != nullptr);
  plan.proof = node->proof;
  while (!node->is_physical()) {
    virtual_nodes.push_back(node);
    if (!node->quiet) plan.restless = node->id;
    if (node->is_root()) break;
    node = tree.find(node->parent);
    if (!node->quiet) plan.restless = node->id;
  }
  plan.anchor = node->id;
  if (node->is_physical()) plan.from = node->physical->ref;

  std::reverse(virtual_nodes.begin(), virtual_nodes.end());
  for (const Node* step : virtual_nodes) {
    for (std::size_t i = 0; i < step->log.size(); ++i) {
      const LogEntry& entry = step->log[i];
      if (!is_replayable(entry))
        return fail(ErrorCode::kUnsupported,
                    "node " + target.value() + " needs a replay, but '" + describe(entry) +
                        "' before node " + step->id.value() + " cannot be replayed",
                    "its physical snapshot is gone; restore an ancestor");
      plan.replay_cost += entry.duration;
      plan.steps.push_back({step->id, i, entry});
    }
  }
  return plan;
}

}  // namespace sf::control
