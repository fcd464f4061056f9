// How a task's tests judge a state: what is copied in, what is run, and how its answer is read.
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
  kOutput,      // lines of `pytest -rA`, where there are any; else the exit status
  kRewardFile,  // a number that the tests leave in a file
};

struct GradingPlan {
  std::vector<Upload> uploads;
  std::vector<std::string> make_directories;
  std::vector<std::string> argv;  // empty: there are no tests, and nothing passes
  std::map<std::string, std::string> env;
  std::string cwd;
  std::string user;
  bool in_shell = false;  // in the fork's own shell, where the agent left it, and not beside it
  milliseconds timeout{60'000};
  Verdict verdict = Verdict::kOutput;
};

// Pure. Passed is what has at least one PASSED and nothing else; the score is their share.
Grade grade_from_output(std::string_view output, int exit_code);
// Pure. "0.5", or {"reward": 0.5}.
Result<double> reward_from(std::string_view text);

// Requires: `branch` is a fork that nobody needs afterwards.
Result<Grade> run_tests(const client::SessionClient& session, const std::string& branch,
                        const GradingPlan& plan);

}  // namespace sf::explore
