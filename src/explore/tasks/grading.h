// Grades a state with the task's tests: uploads them, runs them, and reads their verdict.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/session_client.h"
#include "explore/search_tree.h"
#include "explore/tasks/upload.h"

namespace sf::explore {

enum class Verdict {
  kOutput,      // lines of `pytest -rA` if there are any, else the exit status
  kRewardFile,  // a number in a file that the tests write
};

struct GradingPlan {
  std::vector<Upload> uploads;
  std::vector<std::string> make_directories;
  std::vector<std::string> argv;  // empty: the task has no tests, so no state passes
  std::map<std::string, std::string> env;
  std::string cwd;
  std::string user;
  bool in_shell = false;  // run in the fork's shell, where the agent left it, instead of beside it
  milliseconds timeout{60'000};
  Verdict verdict = Verdict::kOutput;
};

// Pure. The score is the share of PASSED among all test lines. Without such lines, exit status 0
// passes.
Grade grade_from_output(std::string_view output, int exit_code);
// Pure. Accepts "0.5" and {"reward": 0.5}.
Result<double> reward_from(std::string_view text);

// Requires: `branch` is a fork that is not used afterwards; the tests may change its state.
Result<Grade> run_tests(const client::SessionClient& session, const std::string& branch,
                        const GradingPlan& plan);

}  // namespace sf::explore
