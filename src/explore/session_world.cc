#include "explore/session_world.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/scope_exit.h"
#include "explore/journal.h"

namespace sf::explore {

using wire::Json;

namespace {

// Notes of a node: the agent's view of it, and the result of the tests.
constexpr const char* kMindNote = "explore";
constexpr const char* kGradeNote = "explore.grade";
constexpr std::size_t kMaxNote = 48U << 10U;  // limit of each note
constexpr const char* kGradePart = "grade";

struct RunBranch {
  std::string name;
  std::string state;  // empty: unknown
  bool is_for_tests = false;
};

// Includes branches that the daemon finished making after the run was killed.
std::vector<RunBranch> branches_of_run(const Json& tree, const std::string& run) {
  std::vector<RunBranch> found;
  for (const Json& branch : tree.value("branches", Json::array())) {
    const std::string name = branch.value("id", "");
    if (!name.starts_with(run + "-")) continue;
    const bool stands_at_a_node =
        branch.value("alive", false) && branch.value("pending", Json::array()).empty();
    found.push_back(
        {.name = name,
         .state = stands_at_a_node ? branch.value("node", "") : "",
         .is_for_tests = name.find(std::string("-") + kGradePart) != std::string::npos});
  }
  return found;
}

}  // namespace

SessionWorld::SessionWorld(client::SessionClient session, GradingPlan grading, WorldOptions options)
    : session_(std::move(session)),
      grading_(std::move(grading)),
      options_(std::move(options)),
      prefix_(options_.run + "-" + std::to_string(::getpid()) + "-"),
      pool_(prefix_, options_.most_branches) {}

SessionWorld::~SessionWorld() {
  auto tree = session_.tree();
  if (!tree) return;  // the daemon is down: a resumed run takes the branches over
  for (const RunBranch& branch : branches_of_run(*tree, options_.run))
    (void)session_.end_branch(branch.name);
}

Status SessionWorld::take_over() {
  SF_TRY_ASSIGN(Json tree, session_.tree());
  std::size_t kept = 0;
  for (const RunBranch& branch : branches_of_run(tree, options_.run)) {
    if (branch.is_for_tests || kept == options_.most_branches) {
      SF_TRY(session_.end_branch(branch.name));
      continue;
    }
    pool_.adopt(branch.name, branch.state);
    ++kept;
  }
  return Ok{};
}

Result<std::string> SessionWorld::stand_at(const std::string& state, Usage& usage) {
  BranchPool::Lease lease = pool_.take(state);
  if (lease.need == BranchPool::Need::kNothing) return lease.branch;
  Stopwatch watch;
  Status there = lease.need == BranchPool::Need::kFork ? session_.fork(state, lease.branch)
                                                       : session_.restore(lease.branch, state);
  usage.restore_time += watch.elapsed();
  if (there) return lease.branch;
  if (lease.need == BranchPool::Need::kFork) {
    pool_.drop(lease.branch);
  } else {
    pool_.give_back(lease.branch, "");
  }
  return std::move(there).error();
}

Result<Advance> SessionWorld::advance(const std::string& state, const Action& action) {
  Advance made;
  if (action.command.empty()) {
    made.state = state;
    return made;
  }
  SF_TRY_ASSIGN(std::string branch, stand_at(state, made.usage));
  ScopeExit lost([&] { pool_.give_back(branch, ""); });
  SF_TRY_ASSIGN(Observation seen, session_.exec(branch, {.command = action.command,
                                                         .timeout = options_.command_timeout,
                                                         .max_output = options_.max_output}));
  made.usage.command_time += seen.duration;
  made.outcome = {std::move(seen.output), seen.exit_code, seen.timed_out};
  Stopwatch watch;
  SF_TRY_ASSIGN(made.state, session_.snapshot(branch));
  made.usage.snapshot_time += watch.elapsed();
  lost.dismiss();
  pool_.give_back(branch, made.state);
  return made;
}

Result<Grade> SessionWorld::grade(const std::string& state, Usage& usage) {
  const std::string branch = prefix_ + kGradePart + std::to_string(++grades_);
  Stopwatch forking;
  Status there = session_.fork(state, branch);
  usage.restore_time += forking.elapsed();
  SF_TRY(std::move(there));
  Stopwatch grading;
  ScopeExit end([&] {
    (void)session_.end_branch(branch);
    usage.grade_time += grading.elapsed();
  });
  SF_TRY_ASSIGN(Grade grade, run_tests(session_, branch, grading_));
  SF_TRY(session_.set_notes(state, {{kGradeNote, grade_note(grade, kMaxNote)}}));
  return grade;
}

Status SessionWorld::check() {
  SF_TRY(session_.tree());
  return Ok{};
}

Status SessionWorld::remember(const std::string& state, const SearchNode& node) {
  return session_.set_notes(state, {{kMindNote, node_note(node, kMaxNote)}});
}

}  // namespace sf::explore
