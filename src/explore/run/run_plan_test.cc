#include "explore/run/run_plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/matchers.h"

namespace sf::explore {
namespace {

using wire::Json;

RunPlan full_plan() {
  RunPlan plan;
  plan.id = "r1";
  plan.task_directory = "/tasks/one";
  plan.policy = "beam";
  plan.options = {.attempts = 2, .steps = 3, .width = 4, .depth = 5, .beam = 6, .exploration = 0.5};
  plan.budget = {.nodes = 1, .model_calls = 2, .tokens = 3, .money = 4.5, .time = seconds(6)};
  plan.agent = {.kind = "llm",
                .think = milliseconds(9),
                .model = "some",
                .base_url = "http://localhost",
                .prompts = "/prompts",
                .temperature = 0.1,
                .price_in = 1,
                .price_out = 2,
                .reply_tokens = 100,
                .extra_body = R"({"seed": 1})",
                .at_once = 3,
                .per_minute = 40};
  plan.backend = "overlay";
  plan.engine = "native";
  plan.compares = false;
  plan.root = "/root";
  plan.from = {{"debian:12", "/srv/debian"}};
  plan.jobs = 7;
  plan.command_timeout = seconds(8);
  plan.session = "s1";
  plan.state = "n3";
  plan.workdir = "/app";
  return plan;
}

TEST(RunPlanTest, JsonRoundTripKeepsEveryField) {
  for (const RunPlan& plan : {full_plan(), RunPlan()}) {
    const Json json = to_json(plan);
    ASSERT_OK_AND_ASSIGN(RunPlan again, run_plan_from(json));
    EXPECT_EQ(to_json(again), json);
  }
  const RunPlan again = run_plan_from(to_json(full_plan())).value();
  EXPECT_EQ(again.agent.per_minute, 40U);
  EXPECT_EQ(again.agent.think, milliseconds(9));
  EXPECT_EQ(again.agent.extra_body, R"({"seed": 1})");
  EXPECT_EQ(again.command_timeout, seconds(8));
  EXPECT_EQ(again.budget.time, seconds(6));
  EXPECT_EQ(again.workdir, "/app");
}

TEST(RunPlanTest, InvalidPlansAreRejected) {
  Json other = to_json(full_plan());
  other["version"] = 2;
  EXPECT_EQ(run_plan_from(other).error().code, ErrorCode::kCorrupt);
  Json short_of_one = to_json(full_plan());
  short_of_one.erase("workdir");
  EXPECT_NE(run_plan_from(short_of_one).error().message.find("workdir"), std::string::npos);
  EXPECT_EQ(run_plan_from(Json("text")).error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace sf::explore
