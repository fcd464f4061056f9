// Restores a node's state: the nearest physical ancestor, then verified replay.
#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "control/node_ref.h"
#include "control/session_manager.h"
#include "control/session_parts.h"

namespace sf::control {
namespace {

// On a busy host a shell needs time to reach its prompt, and a process needs time to exit.
constexpr auto kSlowHost = seconds(10);
constexpr auto kLookAgain = milliseconds(10);

// The lost object is a temporary copy. The caller's branch is unchanged, so it is not kSessionLost.
Error as_copy_error(Error error, const std::string& what) {
  if (error.code == ErrorCode::kSessionLost) error.code = ErrorCode::kOs;
  return std::move(error).while_doing(what);
}

}  // namespace

Result<RestorePlan> SessionManager::plan(const BranchId& branch, std::string_view ref,
                                         std::optional<Pin>& pin) {
  std::lock_guard lock(mutex_);
  if (tree_.ended())
    return fail(ErrorCode::kNotFound, "the session has ended", "`statefork ls` lists the sessions");
  SF_TRY_ASSIGN(NodeId node, resolve(tree_, branch, ref));
  SF_TRY_ASSIGN(RestorePlan plan, plan_restore(tree_, node));
  pin.emplace(*this, node);
  return plan;
}

Result<SessionManager::RestoredCopy> SessionManager::restore_copy(const RestorePlan& plan,
                                                                  const BranchHandle* old,
                                                                  OnDivergence on_divergence) {
  Result<BranchHandle> handle = [&]() -> Result<BranchHandle> {
    if (!plan.from)
      return backend_.start(read([](const BranchTree& t) { return t.session(); }).config);
    if (old != nullptr) return backend_.restore(*old, *plan.from);
    std::vector<Result<BranchHandle>> forks = backend_.fork(*plan.from, 1);
    SF_CHECK(forks.size() == 1);
    return std::move(forks.front());
  }();
  if (!handle.ok())
    return as_copy_error(std::move(handle).error(), "bringing back node " + plan.anchor.value());
  RestoredCopy restored{.copy = LiveCopy(*this, *handle)};
  SF_TRY(replay(plan, on_divergence, restored));
  SF_TRY(verify(plan, on_divergence, restored));
  return restored;
}

Status SessionManager::replay(const RestorePlan& plan, OnDivergence on_divergence,
                              RestoredCopy& restored) {
  Stopwatch watch;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    SF_TRY_ASSIGN(std::optional<Divergence> divergence, replay_step(plan.steps[i], restored));
    if (!divergence) continue;
    divergence->step = i;
    remember_divergence(plan.steps[i]);
    if (on_divergence == OnDivergence::kFail) return to_error(*divergence);
    restored.accepted.push_back(std::move(*divergence));
  }
  std::lock_guard lock(mutex_);
  stats_.replayed_commands += plan.steps.size();
  stats_.replay_time += watch.elapsed();
  if (!plan.steps.empty() && tree_.find(plan.target) != nullptr)
    replay_spent_[plan.target] += plan.replay_cost;
  return Ok{};
}

Result<std::optional<Divergence>> SessionManager::replay_step(const ReplayStep& step,
                                                              RestoredCopy& restored) {
  const LogEntry& entry = step.entry;
  const BranchHandle& handle = restored.copy.handle();
  Result<std::optional<Divergence>> outcome = [&]() -> Result<std::optional<Divergence>> {
    if (entry.kind == EntryKind::kWriteFile) {
      SF_TRY(backend_.write_file(handle, entry.text, entry.content));
      return std::optional<Divergence>();
    }
    if (entry.kind == EntryKind::kResize) {
      auto [rows, cols] = replay_size(entry);
      SF_TRY(backend_.resize(handle, rows, cols));
      return std::optional<Divergence>();
    }
    ExecRequest again = replay_request(entry);
    again.always_fingerprint = true;
    Result<Observation> done = backend_.exec(handle, again, {});
    // Only this replay uses the terminal of the copy, so kBusy means that its shell is not at the
    // prompt yet.
    for (Deadline patience = Deadline::after(kSlowHost);
         !done.ok() && done.error().code == ErrorCode::kBusy && !patience.passed();) {
      std::this_thread::sleep_for(kLookAgain);
      done = backend_.exec(handle, again, {});
    }
    if (!done.ok()) return std::move(done).error();
    const Observation& seen = *done;
    std::optional<Divergence> divergence = check_replay(step, seen);
    if (!divergence && was_partly_recorded(entry, seen)) restored.saw_whole_outputs = false;
    return divergence;
  }();
  if (!outcome.ok())
    return as_copy_error(std::move(outcome).error(), "replaying '" + describe(entry) + "'");
  return outcome;
}

Status SessionManager::verify(const RestorePlan& plan, OnDivergence on_divergence,
                              RestoredCopy& restored) {
  const BranchHandle& handle = restored.copy.handle();
  if (!restored.accepted.empty()) return Ok{};
  // Equal outputs are not enough if the backend has snapshots: the node may have had one because it
  // cannot be replayed. Without snapshots, outputs are the only evidence.
  auto not_compared = [&](std::string why) -> Status {
    restored.unproven = std::move(why);
    if (!capabilities_.physical_snapshots || on_divergence == OnDivergence::kAccept) return Ok{};
    return to_error({.node = plan.target,
                     .step = plan.steps.size(),
                     .state = "it cannot be compared: " + restored.unproven});
  };
  if (plan.steps.empty()) {
    if (!capabilities_.physical_snapshots) return Ok{};
    if (!plan.from) {
      restored.unproven = "the session's start has no snapshot: it was started again";
      restored.is_new_start = true;
    }
    if (!plan.restless || plan.target == plan.anchor) return Ok{};
    return not_compared("something ran by itself at node " + plan.restless->value());
  }
  if (!plan.proof) {
    std::string why = "the node has no digest to compare its files and its shell with";
    if (!restored.saw_whole_outputs) why += ", and of a long output only a part was recorded";
    return not_compared(std::move(why));
  }
  auto look = [&] { return backend_.digest(handle, plan.proof->since, DigestBudget::unlimited()); };
  Result<std::string> digest = look();
  // A process of the last command may still be exiting.
  for (Deadline patience = Deadline::after(kSlowHost);
       !digest.ok() && digest.error().code == ErrorCode::kUnsupported && !patience.passed();) {
    std::this_thread::sleep_for(kLookAgain);
    digest = look();
  }
  if (!digest.ok() && digest.error().code == ErrorCode::kNotFound)
    return not_compared("the snapshot that its digest is relative to is gone");
  if (!digest.ok() && digest.error().code != ErrorCode::kUnsupported)
    return as_copy_error(std::move(digest).error(), "comparing node " + plan.target.value());
  if (digest.ok() && !are_comparable(plan.proof->digest, *digest)) {
    restored.unproven = "its digest was made by another version of the program";
    return Ok{};
  }
  // If the state could be compared when the node was made, and now it cannot, it differs.
  auto divergence =
      check_state(plan.target, plan.proof->digest, digest.ok() ? *digest : digest.error().message);
  if (!divergence) {
    std::lock_guard lock(mutex_);
    for (const ReplayStep& step : plan.steps) replayed_well_.insert(step.node);
    return Ok{};
  }
  if (!digest.ok()) divergence->state = "it cannot be compared: " + digest.error().message;
  divergence->step = plan.steps.size();
  remember_suspects(plan);
  if (on_divergence == OnDivergence::kFail) return to_error(*divergence);
  restored.accepted.push_back(std::move(*divergence));
  return Ok{};
}

void SessionManager::remember_divergence(const ReplayStep& step) {
  std::lock_guard lock(mutex_);
  stats_.divergences += 1;
  std::vector<Edit> edits;
  if (tree_.find(step.node) != nullptr)
    edits.emplace_back(edit::MarkDiverged{step.node, step.index});
  const std::string& text = step.entry.text;
  if (step.entry.kind == EntryKind::kCommand && !tree_.has_diverged(text))
    edits.emplace_back(edit::CommandDiverged{hash_text(text)});
  // If this fails, the divergence is not recorded; the next replay finds it again.
  if (!edits.empty() && !tree_.ended()) (void)commit("diverge", std::move(edits)).ok();
}

// One of several commands gave another result, and it is unknown which. If each were recorded as
// diverged, every later node with `cd` or `make` in it would be physical. Instead the sequence is
// recorded: the next node that runs the same commands in a row becomes physical.
void SessionManager::remember_suspects(const RestorePlan& plan) {
  std::vector<const ReplayStep*> suspects;
  {
    std::lock_guard lock(mutex_);
    // Skip nodes with a proven replay, unless there are no others.
    bool is_left = false;
    for (const ReplayStep& step : plan.steps)
      is_left = is_left || !replayed_well_.contains(step.node);
    for (const ReplayStep& step : plan.steps) {
      const bool is_suspect =
          is_left ? !replayed_well_.contains(step.node) : step.node == plan.target;
      if (is_suspect && step.entry.kind == EntryKind::kCommand) suspects.push_back(&step);
    }
  }
  if (suspects.size() == 1) return remember_divergence(*suspects.front());
  std::map<NodeId, CommandLog> by_node;
  for (const ReplayStep* step : suspects) by_node[step->node].push_back(step->entry);
  std::lock_guard lock(mutex_);
  stats_.divergences += 1;
  std::vector<Edit> edits;
  for (const auto& [node, log] : by_node) {
    const std::vector<std::uint64_t> hashes = command_hashes(log);
    const std::size_t most = BranchTree::kLongestRun;
    std::uint64_t run = 0;
    for (std::size_t i = hashes.size() - std::min(hashes.size(), most); i < hashes.size(); ++i)
      run = extend_run(run, hashes[i]);
    edits.emplace_back(edit::CommandDiverged{run});
  }
  if (!edits.empty() && !tree_.ended()) (void)commit("diverge", std::move(edits)).ok();
}

// Makes a node physical that was just replayed into `handle`, if the policy decides that the time
// spent on replays so far, and on `replays_ahead` more, justifies a snapshot.
std::optional<PhysicalRef> SessionManager::promote(const RestorePlan& plan,
                                                   const BranchHandle& handle,
                                                   std::int64_t replays_ahead) {
  if (plan.steps.empty() || !capabilities_.physical_snapshots) return std::nullopt;
  // Nodes below it would be replayed in a new shell, without the state of this node's shell.
  if (!backend_.preserves().has(Preserves::kShell)) return std::nullopt;
  SnapshotFacts facts{.replay_cost = plan.replay_cost * replays_ahead};
  {
    std::lock_guard lock(mutex_);
    if (auto spent = replay_spent_.find(plan.target); spent != replay_spent_.end())
      facts.replay_cost += spent->second;
    if (limits_.max_physical_bytes != 0 && tree_.physical_bytes() >= limits_.max_physical_bytes)
      return std::nullopt;
  }
  Result<BranchFacts> live = backend_.facts(handle);
  if (!live.ok()) return std::nullopt;
  facts.resident_memory = live->resident_bytes;
  if (!policy_.should_promote(facts)) return std::nullopt;
  Result<Captured> captured = capture(handle);
  if (!captured.ok()) return std::nullopt;  // the node stays virtual
  const PhysicalState& state = captured->state;

  bool kept = false;
  {
    std::lock_guard lock(mutex_);
    const Node* node = tree_.find(plan.target);
    if (node != nullptr && !node->is_physical()) {
      std::vector<Edit> edits = captured->cost();
      edits.insert(edits.begin(), edit::SetPhysical{plan.target, state});
      kept = commit("promote", std::move(edits), state.took).ok();
    }
    if (kept) {
      stats_.promotions += 1;
      replay_spent_.erase(plan.target);
    }
  }
  if (kept) return state.ref;
  discard({}, {state.ref});
  return std::nullopt;
}

std::vector<Result<SessionManager::RestoredCopy>> SessionManager::fork_copies(
    const RestorePlan& plan, const ForkRequest& request) {
  std::vector<Result<RestoredCopy>> restored;
  auto fork_rest = [&](const PhysicalRef& from) {
    std::size_t count = request.count - restored.size();
    std::vector<Result<BranchHandle>> forks = backend_.fork(from, count);
    SF_CHECK(forks.size() == count);
    for (Result<BranchHandle>& fork : forks) {
      if (fork.ok()) {
        restored.emplace_back(RestoredCopy{.copy = LiveCopy(*this, *fork)});
      } else {
        restored.emplace_back(std::move(fork).error());
      }
    }
  };
  if (plan.is_exact()) {
    fork_rest(*plan.from);
    return restored;
  }
  bool may_promote = true;
  while (restored.size() < request.count) {
    restored.push_back(restore_copy(plan, nullptr, request.on_divergence));
    const Result<RestoredCopy>& last = restored.back();
    if (!last.ok() && last.error().code == ErrorCode::kDiverged) {
      // The other copies would diverge too.
      while (restored.size() < request.count) restored.emplace_back(restored.back().error());
    }
    std::size_t left = request.count - restored.size();
    if (left == 0 || !may_promote || !last.ok() || !last->is_proven()) continue;
    may_promote = false;
    if (auto ref = promote(plan, last->copy.handle(), static_cast<std::int64_t>(left)))
      fork_rest(*ref);
  }
  return restored;
}

}  // namespace sf::control
