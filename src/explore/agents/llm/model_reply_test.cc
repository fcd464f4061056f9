#include "explore/agents/llm/model_reply.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::explore::llm {
namespace {

TEST(ModelReplyTest, ActionsAreFoundWithinOtherText) {
  const Action expected{"ls -l", "look around", false};
  const std::string object = R"({"thought": "look around", "command": "ls -l", "done": false})";
  for (const std::string& reply :
       {object, "  \n" + object + "\n\n", "```json\n" + object + "\n```",
        "```\n" + object + "\n```\nThat is it.",
        "I could use ${HOME} or {a,b}, or {\"x\": 1}.\n" + object,
        "First idea: {\"command\": \"rm x\", \"done\": false}. No, better: " + object}) {
    ASSERT_OK_AND_ASSIGN(Action action, parse_action(reply));
    EXPECT_EQ(action, expected) << reply;
  }
}

TEST(ModelReplyTest, CommandsMayHoldBracesFencesAndLines) {
  ASSERT_OK_AND_ASSIGN(
      Action action,
      parse_action(R"(Here: {"command": "cat >x <<'E'\n{\"command\": 1}\n```\nE", "done": true})"));
  EXPECT_EQ(action.command, "cat >x <<'E'\n{\"command\": 1}\n```\nE");
  EXPECT_TRUE(action.is_last);
}

TEST(ModelReplyTest, NestedObjectsAreIgnored) {
  ASSERT_OK_AND_ASSIGN(Action action,
                       parse_action(R"({"command": "outer", "notes": {"command": "inner"}})"));
  EXPECT_EQ(action.command, "outer");
}

TEST(ModelReplyTest, DoneNeedsNoCommand) {
  ASSERT_OK_AND_ASSIGN(Action action, parse_action(R"({"thought": null, "done": true})"));
  EXPECT_EQ(action, (Action{"", "", true}));
}

TEST(ModelReplyTest, MalformedActionsAreExplained) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "there is no JSON object with \"command\""},
      {"just do ls", "there is no JSON object"},
      {R"({"command": "cut o)", "there is no JSON object"},
      {R"({"command": 5})", "\"command\" must be a string"},
      {R"({"command": ""})", "\"command\" is missing"},
      {R"({"command": "x", "thought": []})", "\"thought\" must be a string"},
      {R"({"command": "x", "done": "yes"})", "\"done\" must be true or false"},
      {R"({"command": "a\u0000b"})", "NUL"},
  };
  for (const auto& [reply, why] : cases) {
    auto action = parse_action(reply);
    ASSERT_FALSE(action) << reply;
    EXPECT_EQ(action.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(action.error().message.find(why), std::string::npos) << action.error().message;
  }
}

TEST(ModelReplyTest, ParsingStopsAfterAThousandBraces) {
  std::string reply;
  for (int i = 0; i < 2000; ++i) reply += "{\"a\":";
  EXPECT_FALSE(parse_action(reply));
}

TEST(ModelReplyTest, AJudgementIsFromZeroToOne) {
  ASSERT_OK_AND_ASSIGN(Judgement judgement,
                       parse_judgement(R"(Well. {"value": 0.25, "reflection": "not so"})"));
  EXPECT_DOUBLE_EQ(judgement.value, 0.25);
  EXPECT_EQ(judgement.reflection, "not so");
  EXPECT_OK(parse_judgement(R"({"value": 1})"));
  for (const char* reply : {R"({"value": 7})", R"({"value": -0.1})", R"({"value": "0.5"})",
                            R"({"reflection": "x"})", R"({"value": 1e999})"})
    EXPECT_FALSE(parse_judgement(reply)) << reply;
}

TEST(ModelReplyTest, AChoiceIsAValidCandidate) {
  ASSERT_OK_AND_ASSIGN(std::size_t first, parse_choice(R"({"choice": 1})", 3));
  EXPECT_EQ(first, 0U);
  ASSERT_OK_AND_ASSIGN(std::size_t last, parse_choice(R"({"choice": 3})", 3));
  EXPECT_EQ(last, 2U);
  for (const char* reply : {R"({"choice": 0})", R"({"choice": 4})", R"({"choice": 1.5})",
                            R"({"choice": "1"})", R"({"choice": -1})"})
    EXPECT_FALSE(parse_choice(reply, 3)) << reply;
}

}  // namespace
}  // namespace sf::explore::llm
