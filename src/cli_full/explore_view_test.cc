#include "cli_full/explore_view.h"

#include <gtest/gtest.h>

namespace sf::cli {
namespace {

using explore::Expand;
using explore::kRoot;
using explore::NodeIndex;
using explore::SearchNode;
using explore::SearchTree;

NodeIndex add(SearchTree& tree, NodeIndex parent, const std::string& command) {
  SearchNode node;
  node.parent = parent;
  node.action.command = command;
  node.value = 0.5;
  return tree.add(std::move(node));
}

TEST(ExploreViewTest, TreeIsDrawnWithRunningSteps) {
  SearchTree tree("n0");
  const NodeIndex first = add(tree, kRoot, "make");
  add(tree, first, "make test");
  tree.set_grade(first, {1, ""}, {});
  EXPECT_EQ(drawn_tree(tree, {Expand{first, 0}}, 20, 80),
            (std::vector<std::string>{"= #0 the task as it begins", "  * #1 make",
                                      "    o #2 make test", "    ~ ..."}));
}

TEST(ExploreViewTest, LinesFitTheTerminalAndHaveNoControls) {
  SearchTree tree("n0");
  add(tree, kRoot, "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\x1b[2J\nmore");
  EXPECT_EQ(drawn_tree(tree, {}, 20, 9)[1], "  o #1 \xC3\xA4\xC3\xA4");
  for (const std::string& line : drawn_tree(tree, {}, 20, 80))
    EXPECT_EQ(line.find_first_of("\x1b\n"), std::string::npos) << line;
}

TEST(ExploreViewTest, NewestNodesOfATooHighTreeAreShown) {
  SearchTree tree("n0");
  for (int i = 0; i < 30; ++i) add(tree, kRoot, "try " + std::to_string(i));
  const auto lines = drawn_tree(tree, {}, 10, 80);
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[0], "... 22 older nodes");
  EXPECT_EQ(lines[1], "= #0 the task as it begins");
  EXPECT_EQ(lines.back(), "  o #30 try 29");
}

// The newest nodes are often in the middle of the tree.
TEST(ExploreViewTest, MainLineAndRunningStepsStayVisible) {
  SearchTree tree("n0");
  const NodeIndex main = add(tree, kRoot, "main");
  tree.commit(main);
  const NodeIndex other = add(tree, kRoot, "other");
  for (int i = 0; i < 30; ++i) add(tree, other, "try " + std::to_string(i));
  const NodeIndex newest = add(tree, main, "newest");
  EXPECT_EQ(drawn_tree(tree, {Expand{newest, 0}}, 8, 80),
            (std::vector<std::string>{"... 28 older nodes", "= #0 the task as it begins",
                                      "  = #1 main", "    o #33 newest", "      ~ ...",
                                      "  o #2 other", "    o #31 try 28", "    o #32 try 29"}));
  EXPECT_LE(drawn_tree(tree, {Expand{newest, 0}}, 2, 80).size(), 2U);
}

TEST(ExploreViewTest, SummaryNamesTheNextCommands) {
  SearchTree tree("n0");
  SearchNode node;
  node.parent = kRoot;
  node.state = "n7";
  const NodeIndex best = tree.add(std::move(node));
  explore::FinishedRun run{{}, std::move(tree), {}};
  run.plan.session = "s1";
  run.summary.best = best;
  const std::string text = summary_text(run, "runs/a");
  for (const char* part : {"session   s1, node n7\n", "runs/a/report.html\n",
                           "statefork replay runs/a\n", "statefork apply runs/a DIRECTORY"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  run.summary.best = kRoot;
  EXPECT_EQ(summary_text(run, "runs/a").find("apply"), std::string::npos)
      << "there are no files to apply";
}

TEST(ExploreViewTest, ProgressShowsTheSpentBudget) {
  SearchTree tree("n0");
  const NodeIndex node = add(tree, kRoot, "make");
  EXPECT_EQ(progress_text(tree, {Expand{}}, {.nodes = 60}, seconds(34)),
            "1 of 60 nodes, 1 under way, 34 s");
  tree.spend(node, {.model_calls = 2, .tokens_in = 10, .tokens_out = 3, .money = 0.5});
  EXPECT_EQ(progress_text(tree, {}, {}, seconds(1)),
            "1 nodes, 1 s, 2 model calls, 10 + 3 tokens, 0.50 dollars");
}

}  // namespace
}  // namespace sf::cli
