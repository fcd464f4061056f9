// snapshot(): names where a branch is, and decides how that comes back.
#include <utility>

#include "control/chance.h"
#include "control/session_manager.h"
#include "control/session_parts.h"

namespace sf::control {
namespace {

bool cannot_be_captured(const Error& error) {
  return error.code == ErrorCode::kUnsupported || error.code == ErrorCode::kNoSpace;
}

}  // namespace

std::vector<Edit> SessionManager::Captured::cost() const {
  if (unchanged || ahead) return {};
  return {edit::CostMeasured{state.memory_bytes, state.took}};
}

Result<SessionManager::Captured> SessionManager::capture(const BranchHandle& handle,
                                                         std::uint64_t resident_bytes) {
  SF_TRY_ASSIGN(Checkpoint taken, backend_.checkpoint(handle));
  if (!taken.unchanged && !taken.ahead) policy_.learn({resident_bytes, taken.took});
  std::lock_guard lock(mutex_);
  stats_.checkpoint_time += taken.took;
  stats_.stopped_time += taken.stopped;
  return Captured{{.ref = std::move(taken.ref),
                   .bytes = taken.bytes,
                   .memory_bytes = resident_bytes,
                   .took = taken.took,
                   .stopped = taken.stopped},
                  taken.unchanged,
                  taken.ahead};
}

// Requires: mutex_ is held.
Status SessionManager::check_new_node(const SnapshotRequest& request) const {
  if (!request.name.empty()) {
    SF_TRY(check_name(request.name, "node name"));
    if (const Node* taken = tree_.find_named(request.name); taken != nullptr)
      return invalid("node name '" + request.name + "' is taken by " + taken->id.value());
  }
  if (request.notes.size() > limits_.max_notes)
    return invalid("more than " + std::to_string(limits_.max_notes) + " notes");
  for (const auto& [key, value] : request.notes) {
    if (key.empty() || key.size() > 2 * kMaxName || value.size() > limits_.max_note_bytes)
      return invalid("a note is too large, or has no key");
  }
  if (tree_.size() >= limits_.max_nodes)
    return fail(ErrorCode::kNoSpace, "the session has " + std::to_string(tree_.size()) + " nodes",
                "clean up what is no longer needed");
  return Ok{};
}

Result<SnapshotQuestion> SessionManager::question(const Turn& turn,
                                                  const SnapshotRequest& request) const {
  std::lock_guard lock(mutex_);
  SF_TRY(check_new_node(request));
  const Branch* branch = tree_.find_branch(turn.id);
  if (branch == nullptr) return fail(ErrorCode::kNotFound, "branch was ended meanwhile");
  const BranchTree::ReplayDistance& behind = tree_.replay_distance(branch->node);
  bool has_room =
      limits_.max_physical_bytes == 0 || tree_.physical_bytes() < limits_.max_physical_bytes;
  return SnapshotQuestion{.backend_has_snapshots = capabilities_.physical_snapshots,
                          .storage_is_full = !has_room,
                          .replayable = is_replayable(branch->pending),
                          .must = reason_to_materialize(branch->pending, backend_.preserves()),
                          .wanted = request.wanted,
                          .facts = {.replay_cost = behind.cost + total_duration(branch->pending),
                                    .virtual_nodes_since = behind.nodes,
                                    .draws_by_chance = draws_by_chance(branch->pending)}};
}

Result<SnapshotReport> SessionManager::snapshot(const BranchId& branch,
                                                const SnapshotRequest& request) {
  Stopwatch watch;
  SF_TRY_ASSIGN(Turn turn, take_turn(branch, Input::kHeld, Condition::kAlive));
  SF_TRY_ASSIGN(SnapshotQuestion q, question(turn, request));
  Result<BranchFacts> facts = backend_.facts(turn.handle);
  if (!facts.ok()) {
    note_if_lost(branch, turn.handle, facts.error());
    return std::move(facts).error();
  }
  q.facts.resident_memory = facts->resident_bytes;
  SF_TRY_ASSIGN(SnapshotChoice choice, choose_snapshot(q, policy_));
  SnapshotReport report{.why = choice.why};
  std::vector<Edit> cost;
  if (choice.kind == Materialization::kPhysical) {
    Result<Captured> captured = capture(turn.handle, facts->resident_bytes);
    if (captured.ok()) {
      report.physical = captured->state;
      if (captured->unchanged) report.why = "nothing changed since the snapshot before";
      report.unchanged = captured->unchanged;
      cost = captured->cost();
    } else if (choice.may_fall_back && cannot_be_captured(captured.error())) {
      report.fallback = captured.error();
    } else {
      note_if_lost(branch, turn.handle, captured.error());
      return std::move(captured).error().while_doing("taking a snapshot of " + branch.value());
    }
  }
  Status added = add_node(turn, request, watch.elapsed(), std::move(cost), report);
  if (!added.ok()) {
    if (report.physical) put_away({}, {report.physical->ref});
    return std::move(added).error();
  }
  report.took = watch.elapsed();
  return report;
}

Status SessionManager::add_node(const Turn& turn, const SnapshotRequest& request, microseconds took,
                                std::vector<Edit> cost, SnapshotReport& report) {
  std::lock_guard lock(mutex_);
  const Branch* branch = tree_.find_branch(turn.id);
  if (branch == nullptr || branch->handle != turn.handle)
    return fail(ErrorCode::kNotFound, "branch " + turn.id.value() + " was ended meanwhile");
  SF_TRY(check_new_node(request));  // again: others may have taken the name
  report.kind = report.physical ? Materialization::kPhysical : Materialization::kVirtual;
  report.node = tree_.next_node_id();

  Node node{.id = report.node,
            .name = request.name,
            .parent = branch->node,
            .origin = turn.id,
            .physical = report.physical,
            .unchanged = report.unchanged,
            .log = branch->pending,
            .notes = request.notes,
            .created = now_()};
  if (report.fallback) node.notes["statefork.why_virtual"] = report.fallback->message;
  std::vector<Edit> edits;
  edits.emplace_back(edit::AddNode{std::move(node)});
  edits.emplace_back(edit::MoveBranch{turn.id, report.node, turn.handle});
  edits.insert(edits.end(), cost.begin(), cost.end());
  Counters counters = tree_.counters();
  counters.next_node += 1;
  SF_TRY(commit("snapshot", std::move(edits), took, counters));

  (report.physical ? stats_.physical_snapshots : stats_.virtual_snapshots) += 1;
  stats_.unchanged_snapshots += report.unchanged ? 1 : 0;
  stats_.fallbacks += report.fallback ? 1 : 0;
  return Ok{};
}

}  // namespace sf::control
