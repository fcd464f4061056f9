// Operations that change a live branch in place: commands, keys, files.
#include <algorithm>
#include <utility>

#include "base/key_names.h"
#include "base/request_limits.h"
#include "control/session_manager.h"
#include "control/session_parts.h"

namespace sf::control {
namespace {

// See the rules in backend.h.
bool had_no_effect(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kBusy ||
         error.code == ErrorCode::kUnsupported || error.code == ErrorCode::kNotFound;
}

Error ended_meanwhile(const BranchId& branch) {
  return fail(ErrorCode::kSessionLost, "branch " + branch.value() + " was ended meanwhile",
              "`tree` lists the branches");
}

Error cannot(const Backend& backend, std::string_view what) {
  return fail(ErrorCode::kUnsupported,
              "backend " + std::string(backend.name()) + " has no " + std::string(what),
              "use another backend for the session");
}

}  // namespace

Status SessionManager::carry_out(const BranchLock& branch_lock, const std::string& operation,
                                 LogEntry entry, const std::function<Status(LogEntry&)>& effect) {
  Stopwatch watch;
  std::size_t index = 0;
  {
    std::lock_guard lock(mutex_);
    const Branch* branch = tree_.find_branch(branch_lock.id);
    if (branch == nullptr) return ended_meanwhile(branch_lock.id);
    index = branch->pending.size();
    entry.diverged_before = entry.kind == EntryKind::kCommand && tree_.has_diverged(entry.text);
    SF_TRY(commit(operation + "_begin", {edit::BeginEntry{branch_lock.id, entry}}));
  }
  Status done = effect(entry);
  if (!done.ok()) note_if_lost(branch_lock.id, branch_lock.handle, done.error());

  std::lock_guard lock(mutex_);
  const Branch* branch = tree_.find_branch(branch_lock.id);
  if (branch == nullptr || branch->handle != branch_lock.handle)
    return ended_meanwhile(branch_lock.id);
  if (done.ok()) {
    Status recorded = commit(
        operation, {edit::FinishEntry{branch_lock.id, index, std::move(entry)}}, watch.elapsed());
    if (!recorded.ok()) return std::move(recorded).error().while_doing("recording the result");
  } else if (had_no_effect(done.error())) {
    // If this fails, the outcome of the entry stays unknown, so the next node is physical: that is
    // safe.
    (void)commit(operation + "_cancel", {edit::CancelEntry{branch_lock.id, index}}).ok();
  }
  return done;
}

Result<Observation> SessionManager::exec_command(const BranchId& branch, const ExecRequest& request,
                                                 const OutputSink& sink,
                                                 const std::function<Status()>& may_begin) {
  if (request.command.size() > kMaxCommand)
    return invalid("the command has " + std::to_string(request.command.size()) +
                       " bytes; the limit is " + std::to_string(kMaxCommand),
                   "write it to a file of the session and run that file");
  SF_TRY_ASSIGN(BranchLock branch_lock, lock_branch(branch, Input::kOpen, Condition::kAlive));
  if (may_begin) SF_TRY(may_begin());
  Observation seen;
  SF_TRY(
      carry_out(branch_lock, "exec_command", begun_entry(request), [&](LogEntry& entry) -> Status {
        ExecRequest wanted = request;
        wanted.always_fingerprint = policy_.makes_virtual_nodes();
        SF_TRY_ASSIGN(seen, backend_.exec(branch_lock.handle, wanted, sink));
        entry = finished_entry(std::move(entry), seen);
        return Ok{};
      }));
  std::lock_guard lock(mutex_);
  stats_.commands += 1;
  stats_.command_time += seen.duration;
  return seen;
}

Status SessionManager::write_file(const BranchId& branch, const std::string& path,
                                  std::string content) {
  if (!capabilities_.files) return cannot(backend_, "files");
  SF_TRY_ASSIGN(BranchLock branch_lock, lock_branch(branch, Input::kOpen, Condition::kAlive));
  return carry_out(branch_lock, "write_file", begun_write(path, content),
                   [&](LogEntry& entry) -> Status {
                     Stopwatch watch;
                     SF_TRY(backend_.write_file(branch_lock.handle, path, content));
                     entry.outcome_unknown = false;
                     entry.duration = watch.elapsed();
                     return Ok{};
                   });
}

Result<SessionManager::Entrance> SessionManager::enter(const BranchId& branch, LogEntry entry) {
  Entrance entrance;
  {
    std::lock_guard lock(mutex_);
    if (auto it = slots_.find(branch); it != slots_.end()) entrance.slot = it->second;
  }
  if (entrance.slot != nullptr) entrance.input = std::unique_lock(entrance.slot->input);
  SF_TRY_ASSIGN(entrance.handle, live_handle(branch));
  std::lock_guard lock(mutex_);
  const Branch* found = tree_.find_branch(branch);
  if (found == nullptr || found->handle != entrance.handle) return ended_meanwhile(branch);
  // Users type many keys, but one entry is enough to make a log unfit for replay.
  const CommandLog& pending = found->pending;
  bool said = !pending.empty() && pending.back().kind == entry.kind &&
              (entry.kind == EntryKind::kKeys || pending.back() == entry);
  if (!said) SF_TRY(commit("input", {edit::BeginEntry{branch, std::move(entry)}}));
  return entrance;
}

Status SessionManager::use_terminal(const BranchId& branch, LogEntry entry,
                                    const std::function<Status(const BranchHandle&)>& effect) {
  if (!capabilities_.terminal) return cannot(backend_, "terminal");
  SF_TRY_ASSIGN(Entrance entrance, enter(branch, std::move(entry)));
  Status done = effect(entrance.handle);
  if (!done.ok()) note_if_lost(branch, entrance.handle, done.error());
  return done;
}

Result<SideObservation> SessionManager::run(const BranchId& branch, const SideRequest& request) {
  if (request.argv.empty() || request.argv.front().empty())
    return invalid("a side command needs a program", "put its name first in argv");
  const LogEntry entry = side_entry(request);
  SF_TRY_ASSIGN(Entrance entrance, enter(branch, entry));
  {
    std::lock_guard lock(mutex_);
    entrance.slot->beside.push_back(entry);
  }
  entrance.input = {};  // released: the command may run long and must not block other input
  Result<SideObservation> seen = backend_.run(entrance.handle, request);
  {
    std::lock_guard lock(mutex_);
    std::vector<LogEntry>& beside = entrance.slot->beside;
    beside.erase(std::ranges::find(beside, entry));
  }
  if (!seen.ok()) note_if_lost(branch, entrance.handle, seen.error());
  return seen;
}

Result<TypedKeys> SessionManager::send_keys(const BranchId& branch, std::string_view keys) {
  TypedKeys typed;
  SF_TRY(use_terminal(branch, keys_entry(keys), [&](const BranchHandle& handle) -> Status {
    SF_TRY_ASSIGN(typed, backend_.send_keys(handle, keys));
    return Ok{};
  }));
  return typed;
}

Result<TypedKeys> SessionManager::send_input(const BranchId& branch, const InputEvents& input) {
  TypedKeys typed;
  SF_TRY(
      use_terminal(branch, keys_entry(describe(input)), [&](const BranchHandle& handle) -> Status {
        SF_TRY_ASSIGN(typed, backend_.send_input(handle, input));
        return Ok{};
      }));
  return typed;
}

Status SessionManager::resize(const BranchId& branch, std::uint16_t rows, std::uint16_t cols) {
  if (rows == 0 || cols == 0) return invalid("a terminal needs at least one row and one column");
  if (!capabilities_.terminal) return cannot(backend_, "terminal");
  LogEntry entry = resize_entry(rows, cols);
  SF_TRY_ASSIGN(std::optional<BranchLock> branch_lock, try_turn(branch));
  auto act = [&](const BranchHandle& handle) -> Status {
    Status done = backend_.resize(handle, rows, cols);
    if (!done.ok()) note_if_lost(branch, handle, done.error());
    return done;
  };
  const bool is_said = read([&](const BranchTree& tree) {
    const Branch* found = tree.find_branch(branch);
    return found != nullptr && !found->pending.empty() && found->pending.back() == entry;
  });
  if (branch_lock && is_said) return act(branch_lock->handle);
  entry.outcome_unknown = true;
  // The moment at which a running command sees the new size is unknown.
  if (!branch_lock) return use_terminal(branch, std::move(entry), act);
  return carry_out(*branch_lock, "resize", std::move(entry), [&](LogEntry& done) -> Status {
    SF_TRY(act(branch_lock->handle));
    done.outcome_unknown = false;
    return Ok{};
  });
}

Result<ScreenText> SessionManager::screen(const BranchId& branch, std::size_t scrollback) {
  if (!capabilities_.terminal) return cannot(backend_, "terminal");
  SF_TRY_ASSIGN(BranchHandle handle, live_handle(branch));
  Result<ScreenText> screen = backend_.screen(handle, scrollback);
  if (!screen.ok()) note_if_lost(branch, handle, screen.error());
  return screen;
}

Result<std::string> SessionManager::read_file(const BranchId& branch, const std::string& path,
                                              std::size_t max_bytes) {
  if (!capabilities_.files) return cannot(backend_, "files");
  SF_TRY_ASSIGN(BranchHandle handle, live_handle(branch));
  Result<std::string> content = backend_.read_file(handle, path, max_bytes);
  if (!content.ok()) note_if_lost(branch, handle, content.error());
  return content;
}

Result<BranchFacts> SessionManager::facts(const BranchId& branch) {
  SF_TRY_ASSIGN(BranchHandle handle, live_handle(branch));
  Result<BranchFacts> facts = backend_.facts(handle);
  if (!facts.ok()) note_if_lost(branch, handle, facts.error());
  return facts;
}

}  // namespace sf::control
