// cleanup(), end_branch(), end_session(): delete the records first, then remove the objects from
// the backend.
#include <unordered_set>
#include <utility>

#include "control/node_ref.h"
#include "control/session_manager.h"
#include "control/session_parts.h"

namespace sf::control {
namespace {

Error still_used(const NodeId& node, const std::vector<BranchId>& branches, bool coming) {
  std::string who;
  for (const BranchId& branch : branches) who += (who.empty() ? "" : ", ") + branch.value();
  Error error =
      fail(ErrorCode::kBusy,
           branches.empty() ? "a branch is being made below node " + node.value()
                            : "branches are at or below node " + node.value() + ": " + who,
           coming && branches.empty() ? "try again, or use force"
                                      : "restore them to other nodes, or use force to end them");
  error.details["branches"] = who;
  return error;
}

}  // namespace

Result<CleanupReport> SessionManager::remove(const std::string& operation, const Removal& removal) {
  CleanupReport report;
  std::vector<BranchHandle> handles;
  std::vector<PhysicalRef> refs;
  {
    std::lock_guard lock(mutex_);
    SF_TRY(removal(report));  // fills in the nodes and branches to remove
    std::vector<Edit> edits;
    const bool whole_session = tree_.size() == report.nodes.size();
    for (const BranchId& branch : report.branches) {
      handles.push_back(tree_.find_branch(branch)->handle);
      if (!whole_session) edits.emplace_back(edit::RemoveBranch{branch});
    }
    if (whole_session) {
      edits.emplace_back(edit::EndSession{});
    } else if (!report.nodes.empty()) {
      edits.emplace_back(edit::RemoveNodes{report.nodes});
    }
    const std::uint64_t bytes_before = tree_.physical_bytes();
    SF_TRY(commit(operation, std::move(edits)));
    for (const BranchId& branch : report.branches) slots_.erase(branch);
    for (const NodeId& node : report.nodes) {
      replay_spent_.erase(node);
      replayed_well_.erase(node);
    }
    stats_.removed_nodes += report.nodes.size();
    refs = tree_.take_unneeded();
    report.physical_refs = refs.size();
    report.bytes = bytes_before - tree_.physical_bytes();
  }
  report.leftovers = discard(std::move(handles), std::move(refs));
  return report;
}

Result<CleanupReport> SessionManager::cleanup(const BranchId& branch, std::string_view ref,
                                              Force force) {
  return remove("cleanup", [&](CleanupReport& report) -> Status {
    if (tree_.ended())
      return fail(ErrorCode::kNotFound, "the session has ended",
                  "`statefork ls` lists the sessions");
    SF_TRY_ASSIGN(NodeId node, resolve(tree_, branch, ref));
    if (node == tree_.root())
      return invalid("the root node cannot be removed on its own", "end the session");
    report.nodes = tree_.subtree(node);
    std::unordered_set<NodeId> going(report.nodes.begin(), report.nodes.end());
    for (const auto& [id, standing] : tree_.branches()) {
      if (going.contains(standing.node)) report.branches.push_back(id);
    }
    bool coming = false;
    for (const auto& [pinned, count] : pins_) coming = coming || going.contains(pinned);
    if (force == Force::kNo && (coming || !report.branches.empty()))
      return still_used(node, report.branches, coming);
    return Ok{};
  });
}

Result<CleanupReport> SessionManager::end_branch(const BranchId& branch) {
  return remove("end_branch", [&](CleanupReport& report) -> Status {
    if (tree_.find_branch(branch) == nullptr) return no_branch(tree_, branch);
    report.branches = {branch};
    return Ok{};
  });
}

Result<CleanupReport> SessionManager::end_session() {
  return remove("end_session", [&](CleanupReport& report) -> Status {
    if (tree_.ended())
      return fail(ErrorCode::kNotFound, "the session has ended",
                  "`statefork ls` lists the sessions");
    report.nodes = tree_.subtree(tree_.root());
    for (const auto& [id, standing] : tree_.branches()) report.branches.push_back(id);
    return Ok{};
  });
}

}  // namespace sf::control
