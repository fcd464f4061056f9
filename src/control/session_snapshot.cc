// snapshot(): adds a node for a branch's state, and decides how it can be restored.
#include <algorithm>
#include <utility>

#include "control/random_sources.h"
#include "control/session_manager.h"
#include "control/session_parts.h"

namespace sf::control {
namespace {

// Whether a virtual node may replace a failed capture. Not after kNoSpace: the commands since the
// last node may have failed for lack of space too, and would succeed in a replay.
bool cannot_be_captured(const Error& error) { return error.code == ErrorCode::kUnsupported; }

}  // namespace

std::vector<Edit> SessionManager::Captured::cost() const {
  if (unchanged || precaptured) return {};
  return {edit::CostMeasured{state.memory_bytes, state.took}};
}

Result<SessionManager::Captured> SessionManager::capture(const BranchHandle& handle) {
  SF_TRY_ASSIGN(Checkpoint taken, backend_.checkpoint(handle));
  const std::uint64_t resident_bytes = taken.facts.resident_bytes;
  if (!taken.unchanged && !taken.precaptured) policy_.learn({resident_bytes, taken.took});
  std::lock_guard lock(mutex_);
  stats_.checkpoint_time += taken.took;
  stats_.stopped_time += taken.stopped;
  return Captured{{.ref = std::move(taken.ref),
                   .bytes = taken.bytes,
                   .memory_bytes = resident_bytes,
                   .took = taken.took,
                   .stopped = taken.stopped},
                  taken.unchanged,
                  taken.precaptured,
                  taken.facts};
}

// Requires: mutex_ is held.
Status SessionManager::check_new_node(const SnapshotRequest& request) const {
  if (!request.name.empty()) {
    SF_TRY(check_name(request.name, "node name"));
    if (const Node* taken = tree_.find_named(request.name); taken != nullptr)
      return invalid("node name '" + request.name + "' is taken by " + taken->id.value(),
                     "choose another name, or rename that node first");
  }
  if (request.notes.size() > limits_.max_notes)
    return invalid("a node can have at most " + std::to_string(limits_.max_notes) + " notes");
  for (const auto& [key, value] : request.notes) {
    if (key.empty() || key.size() > 2 * kMaxName || value.size() > limits_.max_note_bytes)
      return invalid("note '" + key + "' is too large, or its key is empty or too long",
                     "a key has 1 to " + std::to_string(2 * kMaxName) + " bytes, a value at most " +
                         std::to_string(limits_.max_note_bytes));
  }
  if (tree_.size() >= limits_.max_nodes)
    return fail(ErrorCode::kNoSpace,
                "the session has " + std::to_string(tree_.size()) + " nodes, which is the limit",
                "clean up nodes that are no longer needed");
  return Ok{};
}

// Requires: mutex_ is held.
std::optional<std::string> SessionManager::shell_that_stays_away(const NodeId& from) const {
  if (backend_.preserves().has(Preserves::kShell)) return std::nullopt;
  const Node* node = tree_.find(from);
  while (!node->is_physical() && !node->is_root()) node = tree_.find(node->parent);
  if (node->is_root()) return std::nullopt;  // a new session starts a new shell too
  return "only the files of node " + node->id.value() + " are restored, not its shell";
}

// Whether the node is physical regardless of the running processes.
bool SessionManager::captures_anyway(const SnapshotRequest& request) const {
  const bool wants_physical = request.wanted ? *request.wanted == Materialization::kPhysical
                                             : !policy_.makes_virtual_nodes();
  if (!wants_physical || !capabilities_.physical_snapshots) return false;
  std::lock_guard lock(mutex_);
  return limits_.max_physical_bytes == 0 || tree_.physical_bytes() < limits_.max_physical_bytes;
}

Result<BranchFacts> SessionManager::look(const BranchLock& branch_lock) {
  Result<BranchFacts> facts = backend_.facts(branch_lock.handle);
  if (!facts.ok()) note_if_lost(branch_lock.id, branch_lock.handle, facts.error());
  return facts;
}

Result<SnapshotChoice> SessionManager::choose(const Making& making) const {
  SF_TRY_ASSIGN(SnapshotQuestion q, question(making));
  return choose_snapshot(q, policy_);
}

Result<SnapshotQuestion> SessionManager::question(const Making& making) const {
  const BranchFacts facts = making.facts.value_or(BranchFacts{});
  std::lock_guard lock(mutex_);
  SF_TRY(check_new_node(making.request));
  const Branch* branch = tree_.find_branch(making.branch_lock.id);
  if (branch == nullptr) return fail(ErrorCode::kNotFound, "the branch was ended meanwhile");
  const BranchTree::ReplayDistance& behind = tree_.replay_distance(branch->node);
  bool has_room =
      limits_.max_physical_bytes == 0 || tree_.physical_bytes() < limits_.max_physical_bytes;
  std::optional<std::string> must = reason_to_materialize(branch->pending);
  if (!must && tree_.has_diverged(branch->pending))
    must = "a replay of the same commands led to another state";
  // In a replay, a process that runs on its own acts at another time or not at all.
  if (!must && !tree_.find(branch->node)->quiet)
    must = "something ran by itself at node " + branch->node.value();
  if (!must && !facts.is_quiet())
    must = facts.at_prompt ? "processes are running"
                           : "the shell may act by itself: its terminal is in use, or TMOUT is set";
  if (!must) must = shell_that_stays_away(branch->node);
  return SnapshotQuestion{.backend_has_snapshots = capabilities_.physical_snapshots,
                          .storage_is_full = !has_room,
                          .replayable = is_replayable(branch->pending),
                          .must = std::move(must),
                          .wanted = making.request.wanted,
                          .facts = {.resident_memory = facts.resident_bytes,
                                    .replay_cost = behind.cost + total_duration(branch->pending),
                                    .virtual_nodes_since = behind.nodes,
                                    .draws_by_chance = draws_by_chance(branch->pending)}};
}

Result<std::optional<ReplayProof>> SessionManager::prove(const BranchLock& branch_lock) {
  std::optional<PhysicalRef> since;
  {
    std::lock_guard lock(mutex_);
    const Branch* branch = tree_.find_branch(branch_lock.id);
    if (branch == nullptr) return fail(ErrorCode::kNotFound, "the branch was ended meanwhile");
    const Node* node = tree_.find(branch->node);
    // The branch is unchanged since the node, so the node's proof is valid.
    if (branch->pending.empty()) return node->proof;
    auto has_command = [](const CommandLog& log) {
      return std::ranges::any_of(
          log, [](const LogEntry& entry) { return entry.kind == EntryKind::kCommand; });
    };
    // If a node has a proof, its digest was compared from the same base.
    bool commands = has_command(branch->pending);
    while (!node->is_physical() && !node->proof && !node->is_root()) {
      commands = commands || has_command(node->log);
      node = tree_.find(node->parent);
    }
    if (node->is_physical()) {
      since = node->physical->ref;
    } else if (node->proof) {
      since = node->proof->since;
      commands = true;
    }
    // Without a command, the shell never reported its state, so there is no digest to compare.
    if (!commands)
      return fail(ErrorCode::kUnsupported, "no command was run since the last physical snapshot");
  }
  const DigestBudget budget =
      capabilities_.physical_snapshots ? DigestBudget{} : DigestBudget::unlimited();
  SF_TRY_ASSIGN(std::string digest, backend_.digest(branch_lock.handle, since, budget));
  return std::optional(ReplayProof{std::move(digest), std::move(since)});
}

Status SessionManager::take_physical(Making& making) {
  SF_TRY_ASSIGN(Captured captured, capture(making.branch_lock.handle));
  making.report.physical = captured.state;
  making.report.unchanged = captured.unchanged;
  making.cost = captured.cost();
  making.facts = captured.facts;
  return Ok{};
}

Status SessionManager::materialize(SnapshotChoice choice, Making& making) {
  SnapshotReport& report = making.report;
  report.why = choice.why;
  if (choice.kind == Materialization::kPhysical) {
    const bool was_seen = making.facts.has_value();
    Status taken = take_physical(making);
    if (taken.ok()) {
      if (!was_seen) {
        if (Result<SnapshotChoice> again = choose(making); again.ok()) report.why = again->why;
      }
      if (report.unchanged) report.why = "nothing changed since the snapshot before";
      return taken;
    }
    if (!cannot_be_captured(taken.error())) return taken;
    if (!was_seen) {  // running processes decide whether a virtual node is possible
      SF_TRY_ASSIGN(making.facts, look(making.branch_lock));
      SF_TRY_ASSIGN(choice, choose(making));
    }
    if (!choice.may_fall_back) return taken;
    report.fallback = std::move(taken).error();
  }
  Result<std::optional<ReplayProof>> proof = prove(making.branch_lock);
  if (proof.ok()) {
    report.proof = std::move(*proof);
    return Ok{};
  }
  // Without a proof, a difference after the replay would not be noticed.
  if (report.fallback)
    return Error(*report.fallback)
        .while_doing("a virtual node cannot be proven either (" + proof.error().message + ")");
  if (proof.error().code == ErrorCode::kSessionLost) return std::move(proof).error();
  if (!capabilities_.physical_snapshots) {
    if (proof.error().code != ErrorCode::kUnsupported) return std::move(proof).error();
    return Ok{};
  }
  if (!choice.can_capture)
    return fail(ErrorCode::kNoSpace, "the session's physical snapshots reached their size limit",
                "clean up nodes that are no longer needed")
        .while_doing("a virtual node cannot be proven (" + proof.error().message + ")");
  report.why = "a replay could not be verified: " + proof.error().message;
  return take_physical(making);
}

Result<SnapshotReport> SessionManager::snapshot(const BranchId& branch,
                                                const SnapshotRequest& request) {
  Stopwatch watch;
  SF_TRY_ASSIGN(BranchLock branch_lock, lock_branch(branch, Input::kHeld, Condition::kAlive));
  std::shared_lock making_lock(making_);
  Making making{.branch_lock = branch_lock, .request = request, .facts = std::nullopt};
  if (!captures_anyway(request)) {
    SF_TRY_ASSIGN(making.facts, look(branch_lock));
  }
  SF_TRY_ASSIGN(SnapshotChoice choice, choose(making));
  if (Status made = materialize(std::move(choice), making); !made.ok()) {
    note_if_lost(branch, branch_lock.handle, made.error());
    return std::move(made).error().while_doing("taking a snapshot of " + branch.value());
  }
  SnapshotReport& report = making.report;
  report.quiet = making.facts->is_quiet();
  Status added = add_node(making, watch.elapsed());
  if (!added.ok()) {
    if (report.physical) discard({}, {report.physical->ref});
    return std::move(added).error();
  }
  report.took = watch.elapsed();
  return report;
}

Status SessionManager::add_node(Making& making, microseconds took) {
  const BranchLock& branch_lock = making.branch_lock;
  const SnapshotRequest& request = making.request;
  SnapshotReport& report = making.report;
  std::lock_guard lock(mutex_);
  const Branch* branch = tree_.find_branch(branch_lock.id);
  if (branch == nullptr || branch->handle != branch_lock.handle)
    return fail(ErrorCode::kNotFound, "branch " + branch_lock.id.value() + " was ended meanwhile");
  SF_TRY(check_new_node(request));  // again: another call may have taken the name
  report.kind = report.physical ? Materialization::kPhysical : Materialization::kVirtual;
  report.node = tree_.next_node_id();

  Node node{.id = report.node,
            .name = request.name,
            .parent = branch->node,
            .origin = branch_lock.id,
            .physical = report.physical,
            .unchanged = report.unchanged,
            .quiet = report.quiet,
            .proof = report.proof,
            .log = branch->pending,
            .notes = request.notes,
            .created = now_()};
  if (report.fallback) node.notes["statefork.why_virtual"] = report.fallback->message;
  std::vector<Edit> edits;
  edits.emplace_back(edit::AddNode{std::move(node)});
  edits.emplace_back(edit::MoveBranch{branch_lock.id, report.node, branch_lock.handle});
  // Running side commands continue after this node.
  for (const LogEntry& beside : branch_lock.slot->beside)
    edits.emplace_back(edit::BeginEntry{branch_lock.id, beside});
  edits.insert(edits.end(), making.cost.begin(), making.cost.end());
  Counters counters = tree_.counters();
  counters.next_node += 1;
  SF_TRY(commit("snapshot", std::move(edits), took, counters));

  (report.physical ? stats_.physical_snapshots : stats_.virtual_snapshots) += 1;
  stats_.unchanged_snapshots += report.unchanged ? 1 : 0;
  stats_.fallbacks += report.fallback ? 1 : 0;
  return Ok{};
}

}  // namespace sf::control
