#include "explore/tasks/grading.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/shell_words.h"
#include "base/split.h"

namespace sf::explore {

using client::SessionClient;
using wire::Json;

namespace {

constexpr std::size_t kMaxLog = 16U << 10U;  // of a grade's log; its end shows the failures
constexpr const char* kRewardText = "/logs/verifier/reward.txt";
constexpr const char* kRewardJson = "/logs/verifier/reward.json";

std::string end_of(std::string text) {
  if (text.size() <= kMaxLog) return text;
  return "[...]\n" + text.substr(text.size() - kMaxLog);
}

// True for a line such as "PASSED tests/test_outputs.py::test_it" of `pytest -rA`.
bool says(std::string_view line, std::string_view word) {
  return line.starts_with(word) && line.size() > word.size() + 1 && line[word.size()] == ' ';
}

std::string command_line(const GradingPlan& plan) {
  std::string text = "env";
  for (const auto& [name, value] : plan.env) text += " " + shell_word(name + "=" + value);
  for (const std::string& word : plan.argv) text += " " + shell_word(word);
  return text;
}

// In the shell, both outputs are in `standard_output`.
Result<SideObservation> run_program(const SessionClient& session, const std::string& branch,
                                    const GradingPlan& plan) {
  if (!plan.in_shell)
    return session.run(branch, {.argv = plan.argv,
                                .env = plan.env,
                                .cwd = plan.cwd,
                                .user = plan.user,
                                .timeout = plan.timeout});
  SF_TRY_ASSIGN(Observation seen,
                session.exec(branch, {.command = command_line(plan), .timeout = plan.timeout}));
  return SideObservation{.exit_code = seen.exit_code,
                         .standard_output = std::move(seen.output),
                         .timed_out = seen.timed_out};
}

Result<double> read_reward(const SessionClient& session, const std::string& branch) {
  auto text = session.read_file(branch, kRewardText);
  if (!text && text.error().code == ErrorCode::kNotFound)
    text = session.read_file(branch, kRewardJson);
  if (!text && text.error().code == ErrorCode::kNotFound)
    return fail(ErrorCode::kNotFound, std::string("the tests did not write ") + kRewardText);
  if (!text) return std::move(text).error();
  return reward_from(*text);
}

}  // namespace

Grade grade_from_output(std::string_view output, int exit_code) {
  double passed = 0;
  double other = 0;
  for (const std::string& line : split(std::string(output), '\n')) {
    if (says(line, "PASSED")) ++passed;
    if (says(line, "FAILED") || says(line, "ERROR")) ++other;
  }
  if (passed + other > 0) return {passed / (passed + other), ""};
  return {exit_code == 0 ? 1.0 : 0.0, ""};
}

Result<double> reward_from(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_number()) return json.get<double>();
  if (json.is_object() && json.contains("reward") && json["reward"].is_number())
    return json["reward"].get<double>();
  return fail(ErrorCode::kCorrupt,
              "the reward is not a number: " + std::string(text.substr(0, 100)));
}

Result<Grade> run_tests(const SessionClient& session, const std::string& branch,
                        const GradingPlan& plan) {
  if (plan.argv.empty()) return Grade{0, "the task has no tests"};
  SF_TRY_ASSIGN(UploadPlan files, plan_upload(plan.uploads));
  for (const std::string& directory : plan.make_directories) files.directories.push_back(directory);
  SF_TRY(send_beside(session, branch, files));
  SF_TRY_ASSIGN(SideObservation seen, run_program(session, branch, plan));
  const std::string log = end_of(seen.standard_output + seen.standard_error);
  if (seen.timed_out) return Grade{0, log + "\n[the tests exceeded their time limit]"};
  if (plan.verdict == Verdict::kOutput) {
    Grade grade = grade_from_output(seen.standard_output, seen.exit_code);
    grade.log = log;
    return grade;
  }
  auto reward = read_reward(session, branch);
  if (!reward) return Grade{0, log + "\n[" + reward.error().message + "]"};
  return Grade{std::clamp(*reward, 0.0, 1.0), log};
}

}  // namespace sf::explore
