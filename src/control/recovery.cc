#include "control/recovery.h"

#include <unordered_set>

namespace sf::control {

Orphans find_orphans(const std::vector<const BranchTree*>& sessions, const Inventory& inventory) {
  std::unordered_set<BranchHandle> named;
  for (const BranchTree* session : sessions) {
    for (const auto& [id, branch] : session->branches()) named.insert(branch.handle);
  }
  Orphans orphans;
  for (const BranchHandle& handle : inventory.live) {
    if (!named.contains(handle)) orphans.branches.push_back(handle);
  }
  for (const PhysicalRef& ref : inventory.physical) {
    bool needed = false;
    for (const BranchTree* session : sessions) needed = needed || session->uses_of(ref) > 0;
    if (!needed) orphans.physical.push_back(ref);
  }
  return orphans;
}

Inventory as_recorded(const std::vector<const BranchTree*>& sessions) {
  Inventory all;
  for (const BranchTree* session : sessions) {
    for (const auto& [id, branch] : session->branches()) all.live.push_back(branch.handle);
    for (const NodeId& id : session->preorder()) {
      const Node* node = session->find(id);
      if (node->is_physical()) all.physical.push_back(node->physical->ref);
    }
  }
  return all;
}

std::vector<Edit> missing_parts(const BranchTree& session, const Inventory& inventory) {
  std::unordered_set<BranchHandle> live(inventory.live.begin(), inventory.live.end());
  std::unordered_set<PhysicalRef> physical(inventory.physical.begin(), inventory.physical.end());
  std::vector<Edit> edits;
  for (const auto& [id, branch] : session.branches()) {
    if (branch.alive && !live.contains(branch.handle)) edits.emplace_back(edit::LoseBranch{id});
  }
  for (const NodeId& id : session.preorder()) {
    const Node* node = session.find(id);
    if (node->is_physical() && !physical.contains(node->physical->ref))
      edits.emplace_back(edit::SetPhysical{id, std::nullopt});
  }
  return edits;
}

}  // namespace sf::control
