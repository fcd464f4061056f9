#include "explore/tasks/oracle.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::explore {
namespace {

const UploadPlan::File* file_at(const OraclePlan& plan, const std::string& path) {
  for (const UploadPlan::File& file : plan.files.files) {
    if (file.to == path) return &file;
  }
  return nullptr;
}

TEST(OracleTest, VariablesAreInAFileAndNotInTheCommand) {
  const Oracle oracle{.script = "/solution/solve.sh", .env = {{"KEY", "it's secret"}}};
  ASSERT_OK_AND_ASSIGN(OraclePlan plan, plan_oracle(oracle));
  EXPECT_EQ(plan.command, "( . /oracle/env.sh && bash /solution/solve.sh )");
  const UploadPlan::File* env = file_at(plan, "/oracle/env.sh");
  ASSERT_NE(env, nullptr);
  EXPECT_EQ(env->content, "export 'KEY=it'\\''s secret'\n");
  EXPECT_EQ(env->mode, 0600U);
}

TEST(OracleTest, BlockingCommandsRunInTheShell) {
  const Oracle oracle{.commands = {{.text = "cd /app", .waits_for_end = true},
                                   {.text = "make", .waits_for_end = true}}};
  ASSERT_OK_AND_ASSIGN(OraclePlan plan, plan_oracle(oracle));
  EXPECT_EQ(plan.command, "cd /app\nmake\n");
  EXPECT_EQ(plan.check, "");
  EXPECT_TRUE(plan.files.files.empty());
}

TEST(OracleTest, OtherCommandsAreTyped) {
  const Oracle oracle{.commands = {
                          {.text = "vi a;", .least_seconds = 0.5},
                          {.text = "Escape", .ends_with_enter = false},
                          {.text = "make", .waits_for_end = true, .most_seconds = 20},
                      }};
  ASSERT_OK_AND_ASSIGN(OraclePlan plan, plan_oracle(oracle));
  EXPECT_EQ(plan.command, "bash /oracle/typed.sh");
  EXPECT_NE(plan.check.find("tmux"), std::string::npos);
  const UploadPlan::File* typed = file_at(plan, "/oracle/typed.sh");
  ASSERT_NE(typed, nullptr);
  const std::string& script = typed->content;
  const std::string order =
      "tmux send-keys -t agent -- 'vi a\\;'\ntmux send-keys -t agent Enter\nsleep 0.5\n"
      "tmux send-keys -t agent -- 'Escape'\n"
      "tmux send-keys -t agent -- 'make; tmux wait -S done1'\ntmux send-keys -t agent Enter\n"
      "timeout 20 tmux wait done1 || late 'make'\n";
  EXPECT_NE(script.find(order), std::string::npos) << script;
}

TEST(OracleTest, LongTextIsTypedInPartsWithoutSplittingCharacters) {
  std::string text = "x";
  for (int i = 0; i < 5000; ++i) text += "\u2713";
  ASSERT_OK_AND_ASSIGN(OraclePlan plan, plan_oracle({.commands = {{.text = text}}}));
  const std::string& script = file_at(plan, "/oracle/typed.sh")->content;
  std::string joined;
  const std::string begin = "send-keys -t agent -l -- '";
  for (std::size_t at = 0; (at = script.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    const std::string part = script.substr(at, script.find('\'', at) - at);
    EXPECT_LE(part.size(), 4000U);
    EXPECT_EQ(static_cast<unsigned char>(part.back()), part == "x" ? 'x' : 0x93);
    joined += part;
  }
  EXPECT_EQ(joined, text);
}

TEST(OracleTest, OnlyWholeValuesAreReplacedByHostVariables) {
  auto host = [](const std::string& name) -> std::optional<std::string> {
    if (name == "THERE") return "host's";
    return std::nullopt;
  };
  auto resolved = with_host_variables({{"A", "${THERE}"},
                                       {"B", "${GONE:-else}"},
                                       {"C", "plain $THERE ${THERE}"},
                                       {"D", "${THERE:-else}"},
                                       {"E", "${THERE}${THERE}"}},
                                      host);
  ASSERT_OK(resolved);
  EXPECT_EQ(*resolved, (Variables{{"A", "host's"},
                                  {"B", "else"},
                                  {"C", "plain $THERE ${THERE}"},
                                  {"D", "host's"},
                                  {"E", "${THERE}${THERE}"}}));
  auto missing = with_host_variables({{"A", "${GONE}"}}, host);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace sf::explore
