// restore(), fork() and diff(): operations that use a restored copy of a node.
#include <algorithm>
#include <set>
#include <utility>

#include "control/session_manager.h"
#include "control/session_parts.h"

namespace sf::control {

Result<RestoreReport> SessionManager::restore(const BranchId& branch, std::string_view ref,
                                              OnDivergence on_divergence) {
  Stopwatch watch;
  SF_TRY_ASSIGN(BranchLock branch_lock, lock_branch(branch, Input::kHeld, Condition::kAny));
  std::shared_lock making(making_);
  std::optional<Pin> pin;
  SF_TRY_ASSIGN(RestorePlan way, plan(branch, ref, pin));
  SF_TRY_ASSIGN(RestoredCopy restored, restore_copy(way, &branch_lock.handle, on_divergence));
  RestoreReport report{.node = way.target, .replayed = way.steps.size()};
  if (restored.is_proven()) report.promoted = promote(way, restored.copy.handle(), 0).has_value();
  // After the replay and the promotion, which use the window size of the recording.
  std::optional<LogEntry> window = keep_window(branch_lock.handle, restored.copy.handle());
  {
    std::lock_guard lock(mutex_);
    const Branch* found = tree_.find_branch(branch);
    if (found == nullptr || found->handle != branch_lock.handle)
      return fail(ErrorCode::kNotFound, "branch " + branch.value() + " was ended meanwhile");
    if (tree_.find(way.target) == nullptr)
      return fail(ErrorCode::kNotFound, "node " + way.target.value() + " was removed meanwhile");
    std::vector<Edit> edits{edit::MoveBranch{branch, way.target, restored.copy.handle()}};
    if (auto doubt = restored.doubt(capabilities_))
      edits.emplace_back(edit::BeginEntry{branch, *doubt});
    if (window) edits.emplace_back(edit::BeginEntry{branch, *window});
    SF_TRY(commit("restore", std::move(edits), watch.elapsed()));
    stats_.restores += 1;
  }
  restored.copy.release();
  retire(branch_lock.handle);
  report.accepted = std::move(restored.accepted);
  report.unproven = std::move(restored.unproven);
  report.took = watch.elapsed();
  return report;
}

// The window size belongs to the branch, not to the state.
std::optional<LogEntry> SessionManager::keep_window(const BranchHandle& old,
                                                    const BranchHandle& fresh) {
  if (!capabilities_.terminal) return std::nullopt;
  Result<WindowSize> was = backend_.window(old);
  Result<WindowSize> is = backend_.window(fresh);
  if (!was.ok() || !is.ok() || *was == *is) return std::nullopt;
  if (!backend_.resize(fresh, was->rows, was->cols).ok()) return std::nullopt;
  return resize_entry(was->rows, was->cols);
}

// Requires: mutex_ is held. Advances `counters` past the numbers that it uses.
Result<std::vector<BranchId>> SessionManager::names_for(const ForkRequest& request,
                                                        Counters& counters) const {
  if (request.count == 0 || request.names.size() > request.count)
    return invalid("a fork needs a count of at least 1, and no more names than branches");
  if (tree_.branches().size() + request.count > limits_.max_branches)
    return fail(ErrorCode::kNoSpace,
                "a session has at most " + std::to_string(limits_.max_branches) + " branches",
                "end a branch first");
  std::vector<BranchId> names = request.names;
  std::set<BranchId> seen;
  for (const BranchId& name : names) {
    SF_TRY(check_name(name.value(), "branch name"));
    if (tree_.find_branch(name) != nullptr || !seen.insert(name).second)
      return invalid("branch name '" + name.value() + "' is taken", "choose another name");
  }
  while (names.size() < request.count) {
    BranchId name("b" + std::to_string(counters.next_branch++));
    if (tree_.find_branch(name) == nullptr && seen.insert(name).second)
      names.push_back(std::move(name));
  }
  return names;
}

Result<ForkReport> SessionManager::fork(const BranchId& branch, std::string_view ref,
                                        const ForkRequest& request) {
  Stopwatch watch;
  std::shared_lock making(making_);
  std::optional<Pin> pin;
  SF_TRY_ASSIGN(RestorePlan way, plan(branch, ref, pin));
  {
    std::lock_guard lock(mutex_);
    Counters counters = tree_.counters();
    SF_TRY(names_for(request, counters));
  }
  std::vector<Result<RestoredCopy>> restored = fork_copies(way, request);

  ForkReport report{.node = way.target};
  std::lock_guard lock(mutex_);
  if (tree_.find(way.target) == nullptr)
    return fail(ErrorCode::kNotFound, "node " + way.target.value() + " was removed meanwhile");
  Counters counters = tree_.counters();
  SF_TRY_ASSIGN(std::vector<BranchId> names, names_for(request, counters));
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < restored.size(); ++i) {
    if (!restored[i].ok()) {
      report.branches.emplace_back(restored[i].error());
      report.accepted.emplace_back();
      continue;
    }
    Branch made{.id = names[i],
                .node = way.target,
                .handle = restored[i]->copy.handle(),
                .created = now_()};
    if (auto doubt = restored[i]->doubt(capabilities_)) made.pending.push_back(std::move(*doubt));
    edits.emplace_back(edit::AddBranch{std::move(made)});
    report.branches.emplace_back(names[i]);
    report.accepted.push_back(std::move(restored[i]->accepted));
    if (report.unproven.empty()) report.unproven = restored[i]->unproven;
  }
  const std::size_t made = edits.size();
  if (made > 0) SF_TRY(commit("fork", std::move(edits), watch.elapsed(), counters));
  stats_.forked_branches += made;
  for (std::size_t i = 0; i < restored.size(); ++i) {
    if (!restored[i].ok()) continue;
    restored[i]->copy.release();
    slots_[names[i]] = std::make_shared<BranchSlot>();
  }
  report.took = watch.elapsed();
  return report;
}

Result<StateDiff> SessionManager::diff(const BranchId& branch, std::string_view from,
                                       std::optional<std::string_view> to) {
  if (!capabilities_.diff)
    return fail(ErrorCode::kUnsupported,
                "backend " + std::string(backend_.name()) + " cannot compare states",
                "use the waypoint or the overlay backend");
  // The branch lock keeps the live branch unchanged during the comparison.
  std::optional<BranchLock> branch_lock;
  if (!to) {
    SF_TRY_ASSIGN(branch_lock, lock_branch(branch, Input::kHeld, Condition::kAlive));
  }
  std::shared_lock making(making_);
  std::optional<Pin> pin_from;
  std::optional<Pin> pin_to;
  std::vector<RestoredCopy> copies;
  auto side = [&](std::string_view ref, std::optional<Pin>& pin) -> Result<DiffSide> {
    SF_TRY_ASSIGN(RestorePlan way, plan(branch, ref, pin));
    if (way.is_exact()) return DiffSide(*way.from);
    SF_TRY_ASSIGN(RestoredCopy copy, restore_copy(way, nullptr, OnDivergence::kFail));
    copies.push_back(std::move(copy));
    return DiffSide(copies.back().copy.handle());
  };
  SF_TRY_ASSIGN(DiffSide left, side(from, pin_from));
  std::optional<DiffSide> right;
  if (!to) {
    right = DiffSide(branch_lock->handle);
  } else {
    SF_TRY_ASSIGN(right, side(*to, pin_to));
  }
  SF_TRY_ASSIGN(StateDiff found, backend_.diff(left, *right));
  for (const RestoredCopy& copy : copies) {
    if (found.unproven.empty()) found.unproven = copy.unproven;
  }
  return found;
}

}  // namespace sf::control
