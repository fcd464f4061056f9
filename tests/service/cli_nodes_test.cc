// Inspecting and maintaining a session's tree: diff, log, show, note, rename, cleanup.
#include <nlohmann/json.hpp>

#include "daemon_world.h"

namespace sf::test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CliNodesTest : public ::testing::Test {
 protected:
  CliNodesTest() { world_.output({"new", "--name", "s"}); }

  // Runs a command and takes a snapshot. Returns the node.
  std::string step(const std::string& command, std::vector<std::string> more = {}) {
    world_.exec("s", command);
    std::vector<std::string> words{"snapshot", "s"};
    words.insert(words.end(), more.begin(), more.end());
    return world_.output(words);
  }
  DaemonWorld world_;
};

TEST_F(CliNodesTest, DiffShowsChangesSinceTheSnapshotInPlainWords) {
  world_.exec_output("s", "cd /root; echo one >f; echo gone >g");
  std::string node = step("true");
  world_.exec_output("s", "echo two >f; rm g; export FRUIT=apple; cd /tmp; sleep 1000 &");
  std::string text = world_.output({"diff", "s"});
  EXPECT_TRUE(has(text, "Files\n")) << text;
  EXPECT_TRUE(has(text, "  ~ /root/f\n--- /root/f\n+++ /root/f\n")) << text;
  EXPECT_TRUE(has(text, "\n-one\n+two\n")) << text;
  EXPECT_TRUE(has(text, "  - /root/g  file")) << text;
  EXPECT_TRUE(has(text, "Processes\n  + sleep 1000\n")) << text;
  EXPECT_TRUE(has(text, "  + FRUIT=\"apple\"\n")) << text;
  EXPECT_TRUE(has(text, "Working directory\n  ~ /root -> /tmp")) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "colours without a terminal";
  EXPECT_EQ(world_.output({"diff", "s", node, "--name-only"}), "/root/f\n/root/g");
  EXPECT_TRUE(has(world_.output({"diff", "s", "--stat"}), "lines +1 -1")) << text;
}

TEST_F(CliNodesTest, DiffComparesTwoNodesAndHasTheSameFactsAsJson) {
  step("echo one >/root/f", {"--name", "a"});
  step("echo two >/root/f", {"--name", "b"});
  auto json = wire::Json::parse(world_.output({"diff", "s", "a", "b", "--json"}));
  ASSERT_EQ(json["differences"].size(), 1U) << json.dump();
  EXPECT_EQ(json["differences"][0]["name"], "/root/f");
  EXPECT_EQ(world_.output({"diff", "s", "b", "b"}), "");
  EXPECT_EQ(world_.run({"diff", "s", "nowhere"}).status, 1);
}

TEST_F(CliNodesTest, LogGoesFromTheRootToTheBranchsNode) {
  step("echo one");
  step("(exit 3)");
  world_.output({"fork", "s", "n1", "--name", "b"});
  world_.exec_output("s", "echo pending");
  std::string text = world_.output({"log", "s"});
  EXPECT_LT(text.find("echo one"), text.find("(exit 3)")) << text;
  EXPECT_LT(text.find("(exit 3)"), text.find("echo pending")) << text;
  EXPECT_FALSE(has(world_.output({"log", "s/b"}), "(exit 3)"));
  auto last = wire::Json::parse(world_.output({"log", "s", "-n", "2", "--json"}));
  EXPECT_EQ(last["branch"], "main");
  ASSERT_EQ(last["entries"].size(), 2U) << last.dump();
  EXPECT_EQ(last["entries"][0]["node"], "n2");
  EXPECT_EQ(last["entries"][0]["exit_code"], 3);
  EXPECT_EQ(last["entries"][1]["node"], nullptr);
  CommandRun nobody = world_.run({"log", "s/nobody"});
  EXPECT_EQ(nobody.status, 1);
  EXPECT_TRUE(has(nobody.err, "hint: ")) << nobody.err;
}

TEST_F(CliNodesTest, ANodeIsShownWithItsNotesAndCommands) {
  step("echo one", {"--name", "first"});
  world_.output({"note", "s", "first", "score=0.7", "tried=[pip,npm]"});
  EXPECT_EQ(world_.output({"note", "s", "n1"}), "score=0.7\ntried=[pip,npm]");
  world_.output({"note", "s", "HEAD", "tried="});
  EXPECT_EQ(world_.output({"note", "s", "HEAD"}), "score=0.7");
  std::string text = world_.output({"show", "s", "first"});
  EXPECT_TRUE(has(text, "notes.score")) << text;
  EXPECT_TRUE(has(text, "echo one")) << text;
  auto json = wire::Json::parse(world_.output({"show", "s", "--json"}));
  EXPECT_EQ(json["id"], "n1");
  EXPECT_EQ(json["notes"], (wire::Json{{"score", "0.7"}}));
  CommandRun wrong = world_.run({"note", "s", "n1", "novalue"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(has(wrong.err, "KEY=VALUE")) << wrong.err;
}

TEST_F(CliNodesTest, NodesAndSessionsAreRenamed) {
  step("X=1", {"--name", "old"});
  world_.output({"rename", "s", "old", "new"});
  world_.output({"restore", "s", "new"});
  EXPECT_EQ(world_.run({"restore", "s", "old"}).status, 1);
  world_.output({"rename", "s", "t"});
  EXPECT_EQ(world_.exec_output("t", "echo $X"), "1");
  EXPECT_EQ(world_.exec("s", "true").status, 125);
}

TEST_F(CliNodesTest, ANodeMayBeCalledLikeACommand) {
  step("X=1", {"--name", "log"});
  EXPECT_EQ(wire::Json::parse(world_.output({"show", "s", "log", "--json"}))["id"], "n1");
  EXPECT_EQ(world_.output({"fork", "s", "log", "--name", "tree"}), "s/tree");
  EXPECT_EQ(world_.exec_output("s/tree", "echo $X"), "1");
}

TEST_F(CliNodesTest, CleanupRemovesANodeWithItsSubtreeAndListsIt) {
  step("X=1");
  step("X=2");
  step("X=3");
  CommandRun busy = world_.run({"cleanup", "s", "n2"});
  EXPECT_EQ(busy.status, 1);
  EXPECT_TRUE(has(busy.err, "main")) << busy.err;
  world_.output({"restore", "s", "n1"});
  std::string text = world_.output({"cleanup", "s", "n2"});
  EXPECT_TRUE(has(text, "removed node n2\n")) << text;
  EXPECT_TRUE(has(text, "removed node n3\n")) << text;
  EXPECT_TRUE(has(text, "freed ")) << text;
  EXPECT_EQ(world_.exec_output("s", "echo $X"), "1");
}

TEST_F(CliNodesTest, ForcedCleanupEndsTheBranchesThere) {
  step("X=1");
  world_.output({"fork", "s", "--name", "b"});
  world_.output({"restore", "s", "n0"});
  auto report = wire::Json::parse(world_.output({"cleanup", "s", "n1", "--force", "--json"}));
  EXPECT_EQ(report["nodes"], wire::Json::array({"n1"}));
  EXPECT_EQ(report["branches"], wire::Json::array({"b"}));
  EXPECT_EQ(world_.run({"cleanup", "s", "--force"}).status, 2) << "--force needs a node";
}

TEST_F(CliNodesTest, CleanupWithoutANodeRemovesDeadEndsAndKeepsNames) {
  step("X=1");
  step("X=2");  // a dead end
  world_.output({"restore", "s", "n1"});
  step("X=3", {"--name", "good"});
  world_.output({"restore", "s", "n1"});
  auto report = wire::Json::parse(world_.output({"cleanup", "s", "--json"}));
  EXPECT_EQ(report["nodes"], wire::Json::array({"n2"})) << report.dump();
  EXPECT_EQ(world_.output({"cleanup", "s"}), "nothing to remove");
  world_.output({"restore", "s", "good"});
  EXPECT_EQ(world_.exec_output("s", "echo $X"), "3");
}

TEST_F(CliNodesTest, AFailureIsAProblemForProgramsThatAskForJson) {
  CommandRun failed = world_.run({"show", "s", "nowhere", "--json"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.out, "");
  auto problem = wire::Json::parse(failed.err, nullptr, false);
  ASSERT_TRUE(problem.is_object()) << failed.err;
  EXPECT_EQ(problem["code"], "not_found");
}

}  // namespace
}  // namespace sf::test
