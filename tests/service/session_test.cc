// A session from its first command to its end, on the command line.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "daemon_world.h"

namespace sf::test {
namespace {

class ServiceSessionTest : public ::testing::Test {
 protected:
  DaemonWorld world_;
};

TEST_F(ServiceSessionTest, NewPrintsOnlyTheIdAndIdAndNameBothWork) {
  std::string id = world_.output({"new", "--name", "work"});
  EXPECT_TRUE(std::regex_match(id, std::regex("s[0-9a-z]{8}"))) << id;
  EXPECT_EQ(world_.exec_output("work", "X=1; cd /tmp"), "");
  EXPECT_EQ(world_.exec_output(id, "echo $X $PWD"), "1 /tmp");
  CommandRun again = world_.run({"new", "--name", "work"});
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("hint:"), std::string::npos) << again.err;
}

TEST_F(ServiceSessionTest, ExitStatusIsTheCommands) {
  world_.output({"new", "--name", "s"});
  EXPECT_EQ(world_.exec("s", "true").status, 0);
  EXPECT_EQ(world_.exec("s", "(exit 3)").status, 3);
  EXPECT_EQ(world_.exec("s", "no-such-program").status, 127);
  EXPECT_EQ(world_.run({"exec", "s", "-t", "0.3", "--", "echo early; sleep 100"}).status, 124);
  EXPECT_EQ(world_.exec("s", "echo usable").out, "usable\n");
  EXPECT_EQ(world_.exec("nobody", "true").status, 125);
  EXPECT_EQ(world_.exec("s/nowhere", "true").status, 125);
  EXPECT_EQ(world_.run({"exec", "s", "true"}).status, 125);  // without --
  EXPECT_EQ(world_.run({"exec", "s", "--no-such-option", "--", "true"}).status, 125);
}

TEST_F(ServiceSessionTest, ErrorAboutAnUnknownSessionListsAtMostFiveSessions) {
  auto error = [&] { return world_.run({"tree", "nowhere"}).err; };
  const std::string wrong = "statefork: no such session: nowhere\n  hint: ";
  EXPECT_EQ(error(), wrong + "there are no sessions; `statefork new` makes one\n");
  world_.output({"new", "--name", "work"});
  EXPECT_EQ(error(), wrong + "sessions: work\n");
  for (int i = 0; i < 5; ++i) world_.output({"new", "--name", "work" + std::to_string(i)});
  const std::string six = error();
  EXPECT_EQ(std::ranges::count(six, ','), 5) << six;
  EXPECT_NE(six.find(", ...; `statefork ls` lists all\n"), std::string::npos) << six;
}

TEST_F(ServiceSessionTest, CommandArrivesUnchanged) {
  world_.output({"new", "--name", "s"});
  EXPECT_EQ(world_.output({"exec", "s", "--", "echo", "a  b", "--", "-n", "[x,y]"}),
            "a b -- -n [x,y]");
  EXPECT_EQ(world_.run_with_input("cat <<E\nfrom input\nE\n", {"exec", "s", "-"}).out,
            "from input\n");
  EXPECT_EQ(world_.exec("s", "printf \xfe | od -An -tx1").out, " fe\n");  // bytes, not only text
}

TEST_F(ServiceSessionTest, DamageIsUndoneByARestore) {
  world_.output({"new", "--name", "s"});
  world_.exec_output("s", "mkdir /root/w; cd /root/w; echo good >f; X=kept; sleep 1000 &");
  std::string node = world_.output({"snapshot", "s", "--name", "good"});
  EXPECT_EQ(node, "n1");
  world_.exec_output("s", "cd /; rm -r /root/w; unset X; kill %1; wait");
  EXPECT_EQ(world_.output({"restore", "s", "good"}), "");
  EXPECT_EQ(world_.exec_output("s", "pwd; cat f; echo $X; jobs"),
            "/root/w\ngood\nkept\n[1]+  Running                 sleep 1000 &");
}

TEST_F(ServiceSessionTest, ForksAreIsolatedFromEachOther) {
  world_.output({"new", "--name", "s"});
  world_.exec_output("s", "X=base");
  world_.output({"snapshot", "s"});
  EXPECT_EQ(world_.output({"fork", "s", "-n", "2"}), "s/b1\ns/b2");
  EXPECT_EQ(world_.output({"fork", "s", "n0", "--name", "try"}), "s/try");
  world_.exec_output("s/b1", "X=one; echo 1 >/root/f");
  EXPECT_EQ(world_.exec_output("s/b1", "echo $X; cat /root/f"), "one\n1");
  EXPECT_EQ(world_.exec_output("s/b2", "echo $X; [ -e /root/f ] || echo none"), "base\nnone");
  EXPECT_EQ(world_.exec_output("s/try", "echo ${X-unset}"), "unset");

  std::string tree = world_.output({"tree", "s"});
  EXPECT_NE(tree.find("n1  physical"), std::string::npos) << tree;
  EXPECT_NE(tree.find("$ X=base"), std::string::npos) << tree;
  EXPECT_NE(tree.find("<- b1 +2, b2 +1, main"), std::string::npos) << tree;
  world_.output({"rm", "s/b1"});
  EXPECT_EQ(world_.exec("s/b1", "true").status, 125);
  EXPECT_EQ(world_.exec_output("s", "echo $X"), "base");
}

TEST_F(ServiceSessionTest, JsonHasTheSameFactsAndLsShowsAllSessions) {
  auto made = wire::Json::parse(world_.output(
      {"new", "--name", "s", "--policy", "lazy", "--label", "owner=me", "-e", "K=v", "--json"}));
  EXPECT_EQ(made["policy"], "lazy");
  EXPECT_EQ(made["labels"]["owner"], "me");
  auto seen = wire::Json::parse(world_.output({"exec", "s", "--json", "--", "echo $K"}));
  EXPECT_EQ(seen["output"], "v\n");
  EXPECT_EQ(seen["exit_code"], 0);
  auto taken = wire::Json::parse(world_.output({"snapshot", "s", "--note", "why=test", "--json"}));
  EXPECT_EQ(taken["kind"], "virtual");
  auto tree = wire::Json::parse(world_.output({"tree", "s", "--json"}));
  EXPECT_EQ(tree["nodes"][1]["notes"]["why"], "test");
  EXPECT_EQ(tree["nodes"][1]["log"][0]["text"], "echo $K");
  std::string list = world_.output({"ls"});
  EXPECT_NE(list.find(made["id"].get<std::string>()), std::string::npos) << list;
  world_.output({"rm", "s"});
  EXPECT_TRUE(wire::Json::parse(world_.output({"ls", "--json"}))["sessions"].empty());
  EXPECT_EQ(world_.run({"rm", "s"}).status, 1);
}

TEST_F(ServiceSessionTest, CleanupRemovesANodeAndDiffListsChanges) {
  world_.output({"new", "--name", "s"});
  world_.exec_output("s", "echo 1 >/root/f");
  world_.output({"snapshot", "s", "--name", "one"});
  world_.exec_output("s", "echo 2 >/root/f");
  world_.output({"snapshot", "s", "--name", "two"});
  ASSERT_OK_AND_ASSIGN(wire::Json diff, world_.client().get("/v1/sessions/s/diff?from=one&to=two"));
  ASSERT_EQ(diff["differences"].size(), 1U) << diff.dump();
  EXPECT_EQ(diff["differences"][0]["name"], "/root/f");
  auto busy = world_.client().post("/v1/sessions/s/cleanup", {{"node", "two"}});
  ASSERT_FALSE(busy.ok());
  EXPECT_EQ(busy.error().code, ErrorCode::kBusy);
  world_.output({"restore", "s", "one"});
  ASSERT_OK_AND_ASSIGN(wire::Json gone,
                       world_.client().post("/v1/sessions/s/cleanup", {{"node", "two"}}));
  EXPECT_EQ(gone["nodes"], wire::Json::array({"n2"}));
  EXPECT_EQ(world_.run({"restore", "s", "two"}).status, 1);
}

}  // namespace
}  // namespace sf::test
