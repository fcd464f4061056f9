// Sessions that end by themselves, and bounds that hold.
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "daemon_world.h"

namespace sf::test {
namespace {

using wire::Json;

class LifetimesTest : public ::testing::Test {
 protected:
  // A mere look: it does not count as use.
  std::set<std::string> names() {
    std::set<std::string> found;
    auto answer = world_.client().get("/v1/sessions");
    EXPECT_OK(answer);
    if (!answer) return found;
    for (const Json& session : (*answer)["sessions"]) found.insert(session["name"]);
    return found;
  }
  bool ends(const std::string& name) {
    Deadline patience = Deadline::after(seconds(60));
    while (names().contains(name)) {
      if (patience.passed()) return false;
    }
    return true;
  }
  DaemonWorld world_;
};

TEST_F(LifetimesTest, ASessionEndsWhenItsTimeIsOverWhateverRunsInIt) {
  world_.output({"new", "--name", "kept"});
  world_.output({"new", "--name", "short", "--ttl", "1"});
  world_.exec("short", "sleep 1000 &");
  EXPECT_TRUE(ends("short"));
  EXPECT_EQ(names(), (std::set<std::string>{"kept"}));
}

TEST_F(LifetimesTest, AnIdleSessionEndsButNotOneWithRunningWork) {
  world_.output({"new", "--name", "job", "--idle", "1"});
  world_.exec_output("job", "sleep 1000 & echo started");
  world_.output({"new", "--name", "loop", "--idle", "1"});
  auto running = world_.client().post("/v1/sessions/loop/branches/main/executions",
                                      {{"command", "while :; do :; done"}, {"timeout_ms", 0}});
  ASSERT_OK(running);  // a loop of the shell itself: there is no process to see
  world_.output({"new", "--name", "quiet", "--idle", "1"});
  EXPECT_TRUE(ends("quiet"));  // though it was used last of all
  EXPECT_EQ(names(), (std::set<std::string>{"job", "loop"}));
  world_.exec_output("job", "kill %1; wait");
  ASSERT_OK(world_.client().post("/v1/sessions/loop/branches/main/keys", {{"keys", "\x03"}}));
  EXPECT_TRUE(ends("job"));
  EXPECT_TRUE(ends("loop"));
}

TEST_F(LifetimesTest, TermsOutliveTheDaemon) {
  world_.output({"new", "--name", "short", "--ttl", "2"});
  world_.output({"new", "--name", "bounded", "--max-branches", "2"});
  world_.end_daemon(SIGKILL);
  world_.output({"ls"});  // starts it again
  EXPECT_TRUE(ends("short"));
  world_.output({"fork", "bounded"});
  CommandRun third = world_.run({"fork", "bounded"});
  EXPECT_EQ(third.status, 1);
  EXPECT_NE(third.err.find("at most 2 branches"), std::string::npos) << third.err;
}

TEST_F(LifetimesTest, BeyondItsBytesASessionKeepsCommandsInsteadOfStates) {
  world_.output({"new", "--name", "s", "--max-bytes", "1"});
  world_.exec_output("s", "X=1");
  world_.output({"snapshot", "s", "--name", "one"});
  ASSERT_OK_AND_ASSIGN(Json node, world_.client().get("/v1/sessions/s/nodes/one"));
  EXPECT_EQ(node["kind"], "virtual");
  world_.exec_output("s", "X=2");
  world_.output({"restore", "s", "one"});
  EXPECT_EQ(world_.exec_output("s", "echo $X"), "1");
}

TEST_F(LifetimesTest, GarbageCollectionSaysWhatItDid) {
  world_.output({"new", "--name", "s"});
  ASSERT_OK_AND_ASSIGN(Json done, world_.client().post("/v1/gc", Json::object()));
  EXPECT_TRUE(done["ended"].empty());
  EXPECT_TRUE(done["leftovers"].empty());
  EXPECT_EQ(done["operations"], 0);
}

}  // namespace
}  // namespace sf::test
