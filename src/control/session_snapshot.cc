// snapshot(): names where a branch is, and decides how that comes back.
#include <algorithm>
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

Result<SnapshotQuestion> SessionManager::question(const Turn& turn, const SnapshotRequest& request,
                                                  const BranchFacts& facts) const {
  std::lock_guard lock(mutex_);
  SF_TRY(check_new_node(request));
  const Branch* branch = tree_.find_branch(turn.id);
  if (branch == nullptr) return fail(ErrorCode::kNotFound, "branch was ended meanwhile");
  const BranchTree::ReplayDistance& behind = tree_.replay_distance(branch->node);
  bool has_room =
      limits_.max_physical_bytes == 0 || tree_.physical_bytes() < limits_.max_physical_bytes;
  std::optional<std::string> must = reason_to_materialize(branch->pending, backend_.preserves());
  if (!must && tree_.has_diverged(branch->pending))
    must = "the same commands led to another state when they were replayed";
  // What acts by itself does so at another time in a replay, or not at all.
  if (!must && !tree_.find(branch->node)->quiet)
    must = "something ran by itself at node " + branch->node.value();
  if (!must && !facts.is_quiet())
    must = facts.at_prompt ? "processes are running"
                           : "the shell may act by itself: its terminal is in use, or TMOUT is set";
  return SnapshotQuestion{.backend_has_snapshots = capabilities_.physical_snapshots,
                          .storage_is_full = !has_room,
                          .replayable = is_replayable(branch->pending),
                          .must = std::move(must),
                          .wanted = request.wanted,
                          .facts = {.resident_memory = facts.resident_bytes,
                                    .replay_cost = behind.cost + total_duration(branch->pending),
                                    .virtual_nodes_since = behind.nodes,
                                    .draws_by_chance = draws_by_chance(branch->pending)}};
}

Result<std::optional<ReplayProof>> SessionManager::prove(const Turn& turn) {
  std::optional<PhysicalRef> since;
  {
    std::lock_guard lock(mutex_);
    const Branch* branch = tree_.find_branch(turn.id);
    if (branch == nullptr) return fail(ErrorCode::kNotFound, "branch was ended meanwhile");
    const Node* node = tree_.find(branch->node);
    // Nothing was done since: whatever proves the parent proves this node.
    if (branch->pending.empty()) return node->proof;
    auto has_command = [](const CommandLog& log) {
      return std::ranges::any_of(
          log, [](const LogEntry& entry) { return entry.kind == EntryKind::kCommand; });
    };
    // A node with a proof has been compared with what the next one is compared with, too.
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
    // A replay without a command leaves a shell that was never asked for its state.
    if (!commands)
      return fail(ErrorCode::kUnsupported, "no command was run since the last physical snapshot");
  }
  const DigestBudget budget =
      capabilities_.physical_snapshots ? DigestBudget{} : DigestBudget::unlimited();
  SF_TRY_ASSIGN(std::string digest, backend_.digest(turn.handle, since, budget));
  return std::optional(ReplayProof{std::move(digest), std::move(since)});
}

Status SessionManager::materialize(const Turn& turn, const SnapshotChoice& choice,
                                   const BranchFacts& facts, SnapshotReport& report,
                                   std::vector<Edit>& cost) {
  auto take = [&]() -> Status {
    SF_TRY_ASSIGN(Captured captured, capture(turn.handle, facts.resident_bytes));
    report.physical = captured.state;
    if (captured.unchanged) report.why = "nothing changed since the snapshot before";
    report.unchanged = captured.unchanged;
    cost = captured.cost();
    return Ok{};
  };
  if (choice.kind == Materialization::kPhysical) {
    Status taken = take();
    if (taken.ok()) return taken;
    if (!choice.may_fall_back || !cannot_be_captured(taken.error())) return taken;
    report.fallback = std::move(taken).error();
  }
  Result<std::optional<ReplayProof>> proof = prove(turn);
  if (proof.ok()) {
    report.proof = std::move(*proof);
    return Ok{};
  }
  // A virtual node that cannot be proven would be handed out unseen.
  if (report.fallback)
    return Error(*report.fallback)
        .while_doing("a virtual node cannot be proven either (" + proof.error().message + ")");
  if (proof.error().code != ErrorCode::kUnsupported) return std::move(proof).error();
  if (!capabilities_.physical_snapshots) return Ok{};
  report.why = "a replay could not be verified: " + proof.error().message;
  return take();
}

Result<SnapshotReport> SessionManager::snapshot(const BranchId& branch,
                                                const SnapshotRequest& request) {
  Stopwatch watch;
  SF_TRY_ASSIGN(Turn turn, take_turn(branch, Input::kHeld, Condition::kAlive));
  std::shared_lock making(making_);
  Result<BranchFacts> facts = backend_.facts(turn.handle);
  if (!facts.ok()) {
    note_if_lost(branch, turn.handle, facts.error());
    return std::move(facts).error();
  }
  SF_TRY_ASSIGN(SnapshotQuestion q, question(turn, request, *facts));
  SF_TRY_ASSIGN(SnapshotChoice choice, choose_snapshot(q, policy_));
  SnapshotReport report{.why = choice.why, .quiet = facts->is_quiet()};
  std::vector<Edit> cost;
  if (Status made = materialize(turn, choice, *facts, report, cost); !made.ok()) {
    note_if_lost(branch, turn.handle, made.error());
    return std::move(made).error().while_doing("taking a snapshot of " + branch.value());
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
            .quiet = report.quiet,
            .proof = report.proof,
            .log = branch->pending,
            .notes = request.notes,
            .created = now_()};
  if (report.fallback) node.notes["statefork.why_virtual"] = report.fallback->message;
  std::vector<Edit> edits;
  edits.emplace_back(edit::AddNode{std::move(node)});
  edits.emplace_back(edit::MoveBranch{turn.id, report.node, turn.handle});
  // What runs beside the shell goes on after this node.
  for (const LogEntry& beside : turn.seat->beside)
    edits.emplace_back(edit::BeginEntry{turn.id, beside});
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
