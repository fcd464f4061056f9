#include "explore/run/exports.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/split.h"
#include "explore/run/report.h"
#include "testing/matchers.h"

namespace sf::explore {
namespace {

using wire::Json;

SearchNode node(NodeIndex parent, const std::string& command, const std::string& output) {
  SearchNode made;
  made.parent = parent;
  made.state = "n" + command;
  made.action.command = command;
  made.outcome.output = output;
  return made;
}

// Node 1 failed; node 3, below node 2, passed.
SearchTree tree_with_a_solution() {
  SearchTree tree("n0");
  tree.add(node(0, "wrong", "no\n"));
  tree.add(node(0, "right", "yes\n"));
  tree.add(node(2, "done", "</script>\xff"));
  tree.set_grade(1, {0, "0 of 1"}, {});
  tree.set_grade(3, {1, "1 of 1"}, {});
  return tree;
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) lines.push_back(Json::parse(line));
  }
  return lines;
}

TEST(ExportsTest, TheDocumentHasAllFieldsOfEachNode) {
  const SearchTree tree = tree_with_a_solution();
  RunPlan plan;
  plan.task_directory = "/tasks/fix-it";
  const Json document = tree_document(plan, "fix it", tree, {.is_solved = true, .best = 3},
                                      {{3, Json::array({{{"path", "/f"}, {"kind", "added"}}})}});
  EXPECT_EQ(document["run"]["task"], "fix-it");
  EXPECT_EQ(document["summary"]["solved"], true);
  EXPECT_EQ(document["summary"]["nodes"], 3);
  EXPECT_TRUE(document["nodes"][0]["parent"].is_null());
  EXPECT_EQ(document["nodes"][3]["parent"], 2);
  EXPECT_EQ(document["nodes"][3]["grade"]["score"], 1);
  EXPECT_EQ(document["nodes"][3]["diff"][0]["path"], "/f");
  EXPECT_TRUE(document["nodes"][2]["diff"].is_null());
}

TEST(ExportsTest, EachLeafHasATrajectory) {
  const std::vector<Json> lines = lines_of(trajectories({}, "fix it", tree_with_a_solution()));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["solved"], false);
  EXPECT_EQ(lines[1]["solved"], true);
  EXPECT_EQ(lines[1]["steps"].size(), 2U);
  EXPECT_EQ(lines[1]["steps"][0]["command"], "right");
}

TEST(ExportsTest, OnlyPassedPathsBecomeConversations) {
  const std::vector<Json> lines = lines_of(conversations("fix it", tree_with_a_solution()));
  ASSERT_EQ(lines.size(), 1U);
  const Json& messages = lines[0]["messages"];
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages[0]["content"], "fix it");
  EXPECT_EQ(messages[1]["role"], "assistant");
  EXPECT_EQ(messages[1]["content"], "right");
}

TEST(ExportsTest, PreferencesPairActionsFromOneState) {
  const std::vector<Json> lines = lines_of(preferences("fix it", tree_with_a_solution()));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["chosen"], "right");
  EXPECT_EQ(lines[0]["rejected"], "wrong");
  EXPECT_EQ(lines[0]["prompt"].size(), 1U);
}

TEST(ExportsTest, CommandOutputCannotEndTheScriptElement) {
  const Json document = tree_document({}, "fix it", tree_with_a_solution(), {}, {});
  const std::string page = report_page(document);
  EXPECT_EQ(page.find("{{"), std::string::npos) << "an unreplaced marker";
  const std::string start = "id=\"run\">";
  const std::size_t at = page.find(start) + start.size();
  const std::string data = page.substr(at, page.find("</script>", at) - at);
  EXPECT_EQ(Json::parse(data)["nodes"].size(), 4U);
}

TEST(RunPlanTest, JsonRoundTripKeepsUnsetLimits) {
  RunPlan plan;
  plan.id = "r1";
  plan.budget.nodes = 7;
  plan.budget.time = seconds(9);
  plan.options.width = 5;
  plan.agent.kind = "script";
  plan.from["debian:12"] = "/srv/root";
  plan.session = "s1";
  ASSERT_OK_AND_ASSIGN(RunPlan again, run_plan_from(to_json(plan)));
  EXPECT_EQ(to_json(again), to_json(plan));
  EXPECT_FALSE(again.budget.money.has_value());
  EXPECT_EQ(run_plan_from(Json::object()).error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace sf::explore
