#include "explore/journal.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/matchers.h"

namespace sf::explore {
namespace {

SearchNode some_node() {
  SearchNode node;
  node.parent = kRoot;
  node.state = "n1";
  node.action = {"printf '\\xff'", "odd bytes", true};
  node.outcome = {"line\n\xC3\xA4", 3, true};
  node.value = 0.25;
  node.reflection = "try \"x\" first";
  node.lane = 2;
  node.failure = "";
  node.usage = {.model_calls = 1, .tokens_in = 10, .money = 0.5, .model_time = microseconds(7)};
  return node;
}

TEST(JournalTest, ReadingTheJournalRebuildsTheTree) {
  const Usage usage{.model_calls = 2, .command_time = microseconds(9)};
  const std::string text = root_line("n0") + node_line(some_node()) +
                           grade_line(1, {0.5, "1 of 2"}, usage) + commit_line(1, usage);
  ASSERT_OK_AND_ASSIGN(SearchTree tree, read_journal(text));
  ASSERT_EQ(tree.size(), 2U);
  EXPECT_EQ(tree.at(kRoot).state, "n0");
  const SearchNode& node = tree.at(1);
  EXPECT_EQ(node.action, some_node().action);
  EXPECT_EQ(node.outcome, some_node().outcome);
  EXPECT_EQ(node.reflection, some_node().reflection);
  EXPECT_EQ(node.lane, 2);
  EXPECT_EQ(node.grade, (Grade{0.5, "1 of 2"}));
  EXPECT_TRUE(node.is_committed);
  EXPECT_EQ(node.usage.model_calls, 5U);
  EXPECT_EQ(node.usage.command_time, microseconds(18));
}

TEST(JournalTest, AnIncompleteLastLineIsIgnored) {
  const std::string whole = root_line("n0") + node_line(some_node());
  for (std::size_t size = root_line("n0").size(); size < whole.size(); ++size) {
    ASSERT_OK_AND_ASSIGN(SearchTree tree, read_journal(std::string_view(whole).substr(0, size)));
    EXPECT_EQ(tree.size(), 1U) << size;
  }
}

TEST(JournalTest, ANoteOmitsOnlyTheLongestTexts) {
  SearchNode node;
  node.action.command = std::string(9000, 'c');
  node.action.thought = "short";
  node.outcome.output = std::string(9000, '\xff');  // each becomes three bytes in JSON
  constexpr std::size_t kMost = 10000;
  const std::string note = node_note(node, kMost);
  EXPECT_LE(note.size(), kMost);
  const wire::Json json = wire::Json::parse(note);
  EXPECT_EQ(json["thought"], "short");
  EXPECT_EQ(wire::Json::parse(node_note(SearchNode{}, kMost))["event"], "node");
  EXPECT_LE(grade_note({0.5, std::string(20000, 'x')}, kMost).size(), kMost);
  EXPECT_EQ(wire::Json::parse(grade_note({0.5, "log"}, kMost))["log"], "log");
}

TEST(JournalTest, MalformedLinesAreReportedWithTheirNumber) {
  auto complaint = [](const std::string& text) { return read_journal(text).error().message; };
  EXPECT_NE(complaint(root_line("n0") + "{}\n").find("line 2"), std::string::npos);
  EXPECT_NE(complaint(root_line("n0") + grade_line(7, {}, {})).find("node 7"), std::string::npos);
  EXPECT_NE(complaint(node_line(some_node())).find("unsupported version"), std::string::npos);
  EXPECT_NE(complaint(root_line("n0") + commit_line(0, {})).find("main line"), std::string::npos);
  EXPECT_EQ(read_journal("").error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace sf::explore
