#include "rounds.h"

#include <unistd.h>

#include <thread>

#include "base/scope_exit.h"

namespace sf::bench {
namespace {

constexpr int kExecsPerRound = 10;
// Time for retired keepers to end and spare ones to start, before the next measurement.
constexpr auto kPause = milliseconds(80);
constexpr auto kPrepareTime = milliseconds(60'000);

void let_things_settle() { std::this_thread::sleep_for(kPause); }

}  // namespace

TreeSamples Rounds::measure(const Tree& tree, std::size_t count, Deadline deadline) {
  TreeSamples result{.tree = tree};
  auto branch = waypoint_.start({});
  if (!branch) {
    result.problem = branch.error().describe();
    return result;
  }
  ScopeExit end([&] {
    (void)waypoint_.end(*branch);
    for (const auto& left : waypoint_.checkpoints()) (void)waypoint_.remove(left.id);
  });
  Session session{tree, *branch, {}, result.samples, std::nullopt};
  ScopeExit end_idle([&] {
    if (session.idle) (void)waypoint_.end(*session.idle);
  });
  Status measured = measure_in(session, result, count, deadline);
  if (!measured) result.problem = measured.error().describe();
  return result;
}

Status Rounds::measure_in(Session& session, TreeSamples& result, std::size_t count,
                          Deadline deadline) {
  SF_TRY(prepare(session));
  for (; result.rounds < count; ++result.rounds) {
    if (stopped_()) return fail(ErrorCode::kBusy, "interrupted");
    if (deadline.passed()) return fail(ErrorCode::kTimedOut, "out of time");
    SF_TRY(round(session, result.rounds % 2 == 1));
  }
  return Ok{};
}

Status Rounds::prepare(Session& session) {
  if (!session.tree.prepare.empty()) SF_TRY(run(session, session.tree.prepare));
  if (session.tree.files == Files::kSettled) {
    SF_TRY(run(session, write_command(session.tree)));
    ::sync();
  }
  if (session.tree.files != Files::kNone) {
    SF_TRY_ASSIGN(session.idle, waypoint_.start({}));
  }
  let_things_settle();
  return Ok{};
}

Status Rounds::round(Session& session, bool bare_first) {
  if (session.idle) SF_TRY(idle_there_and_back(session));
  SF_TRY(in_order(
      bare_first, [&] { return snapshot(session); }, [&] { return bare_dump(session); }));
  SF_TRY(in_order(
      bare_first, [&] { return restore(session); }, [&] { return bare_restore(session); }));
  if (session.tree.files == Files::kNone) {
    SF_TRY(fork(session, 1, Quantity::kForkOne));
    SF_TRY(fork(session, 4, Quantity::kForkFour));
    SF_TRY(exec(session));
  }
  return waypoint_.remove(session.checkpoint);
}

Status Rounds::in_order(bool bare_first, const std::function<Status()>& ours,
                        const std::function<Status()>& bare) {
  for (const auto& step : {bare_first ? bare : ours, bare_first ? ours : bare}) {
    SF_TRY(step());
    let_things_settle();
  }
  return Ok{};
}

Status Rounds::snapshot(Session& session) {
  if (session.tree.files == Files::kJustWritten) SF_TRY(run(session, write_command(session.tree)));
  Stopwatch watch;
  auto info = waypoint_.checkpoint(session.branch);
  microseconds took = watch.elapsed();
  if (!info) return std::move(info).error().while_doing("snapshot");
  session.checkpoint = info->id;
  session.samples.add(Quantity::kSnapshot, took);
  session.samples.add(Quantity::kSnapshotStopped, info->stopped);
  return Ok{};
}

// The same operations on an idle branch without files, for comparison. Runs before the tree's files
// are written, because both branches share a store.
Status Rounds::idle_there_and_back(Session& session) {
  Stopwatch watch;
  SF_TRY_ASSIGN(waypoint::CheckpointInfo info, waypoint_.checkpoint(*session.idle));
  session.samples.add(Quantity::kIdleSnapshot, watch.elapsed());
  let_things_settle();
  watch = Stopwatch();
  SF_TRY(waypoint_.restore(*session.idle, info.id));
  session.samples.add(Quantity::kIdleRestore, watch.elapsed());
  let_things_settle();
  return waypoint_.remove(info.id);
}

Status Rounds::bare_dump(Session& session) {
  SF_TRY_ASSIGN(pid_t keeper, keeper_of(session.branch));
  SF_TRY_ASSIGN(microseconds ready, bare_.dump(keeper, Launch::kReady));
  session.samples.add(Quantity::kReadyDump, ready);
  let_things_settle();
  SF_TRY_ASSIGN(microseconds timed, bare_.dump(keeper, Launch::kTimed));
  session.samples.add(Quantity::kBareDump, timed);
  return Ok{};
}

Status Rounds::restore(Session& session) {
  Stopwatch watch;
  Status restored = waypoint_.restore(session.branch, session.checkpoint);
  microseconds took = watch.elapsed();
  if (!restored) return std::move(restored).error().while_doing("restore");
  session.samples.add(Quantity::kRestore, took);
  return Ok{};
}

Status Rounds::bare_restore(Session& session) {
  SF_TRY_ASSIGN(pid_t keeper, keeper_of(session.branch));
  {
    SF_TRY_ASSIGN(BareCriu::Restored ready, bare_.restore(keeper, Launch::kReady));
    session.samples.add(Quantity::kReadyRestore, ready.took);
  }
  let_things_settle();
  SF_TRY_ASSIGN(BareCriu::Restored timed, bare_.restore(keeper, Launch::kTimed));
  session.samples.add(Quantity::kBareRestore, timed.took);
  return Ok{};
}

Status Rounds::fork(Session& session, std::size_t count, Quantity quantity) {
  Stopwatch watch;
  auto forks = waypoint_.fork(session.checkpoint, count);
  microseconds took = watch.elapsed();
  Status outcome = Ok{};
  for (auto& each : forks) {
    if (each) {
      (void)waypoint_.end(*each);
    } else {
      outcome = std::move(each).error().while_doing("fork");
    }
  }
  if (outcome) session.samples.add(quantity, took);
  let_things_settle();
  return outcome;
}

Status Rounds::exec(Session& session) {
  for (int i = 0; i < kExecsPerRound; ++i) {
    Stopwatch watch;
    auto ran = waypoint_.exec(session.branch, {.command = "true"});
    microseconds took = watch.elapsed();
    if (!ran) return std::move(ran).error().while_doing("exec");
    session.samples.add(Quantity::kExec, took);
    SF_TRY_ASSIGN(microseconds plain, shell_.run("true"));
    session.samples.add(Quantity::kPlainShell, plain);
  }
  return Ok{};
}

Status Rounds::run(Session& session, const std::string& command) {
  SF_TRY_ASSIGN(Observation ran,
                waypoint_.exec(session.branch, {.command = command, .timeout = kPrepareTime}));
  if (ran.exit_code != 0 || ran.timed_out)
    return fail(ErrorCode::kOs, "preparing " + session.tree.name + ": " + ran.output);
  return Ok{};
}

Result<pid_t> Rounds::keeper_of(const waypoint::BranchId& branch) const {
  for (const waypoint::BranchInfo& info : waypoint_.branches()) {
    if (info.id == branch) return info.keeper_pid;
  }
  return fail(ErrorCode::kNotFound, "the branch is gone");
}

}  // namespace sf::bench
