// Sessions that end by themselves, and limits on their size.
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "daemon_world.h"

namespace sf::test {
namespace {

using wire::Json;

class LifetimesTest : public ::testing::Test {
 protected:
  // Lists sessions, which does not count as use.
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

TEST_F(LifetimesTest, SessionEndsWhenItsTimeIsOverDespiteRunningWork) {
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
  ASSERT_OK(running);  // a loop inside the shell, without a process of its own
  world_.output({"new", "--name", "quiet", "--idle", "1"});
  EXPECT_TRUE(ends("quiet"));  // although it was used last
  EXPECT_EQ(names(), (std::set<std::string>{"job", "loop"}));
  world_.exec_output("job", "kill %1; wait");
  ASSERT_OK(world_.client().post("/v1/sessions/loop/branches/main/keys", {{"keys", "\x03"}}));
  EXPECT_TRUE(ends("job"));
  EXPECT_TRUE(ends("loop"));
}

TEST_F(LifetimesTest, TimeLimitsOutliveTheDaemon) {
  world_.output({"new", "--name", "short", "--ttl", "2"});
  world_.output({"new", "--name", "bounded", "--max-branches", "2"});
  world_.end_daemon(SIGKILL);
  world_.output({"ls"});  // starts a new daemon
  EXPECT_TRUE(ends("short"));
  world_.output({"fork", "bounded"});
  CommandRun third = world_.run({"fork", "bounded"});
  EXPECT_EQ(third.status, 1);
  EXPECT_NE(third.err.find("at most 2 branches"), std::string::npos) << third.err;
}

TEST_F(LifetimesTest, SessionBeyondItsByteLimitMakesVirtualNodes) {
  world_.output({"new", "--name", "s", "--max-bytes", "1"});
  world_.exec_output("s", "X=1");
  world_.output({"snapshot", "s", "--name", "one"});
  ASSERT_OK_AND_ASSIGN(Json node, world_.client().get("/v1/sessions/s/nodes/one"));
  EXPECT_EQ(node["kind"], "virtual");
  world_.exec_output("s", "X=2");
  world_.output({"restore", "s", "one"});
  EXPECT_EQ(world_.exec_output("s", "echo $X"), "1");
}

TEST_F(LifetimesTest, GarbageCollectionReportsItsActions) {
  world_.output({"new", "--name", "s"});
  ASSERT_OK_AND_ASSIGN(Json done, world_.client().post("/v1/gc", Json::object()));
  EXPECT_TRUE(done["ended"].empty());
  EXPECT_TRUE(done["leftovers"].empty());
  EXPECT_EQ(done["operations"], 0);
}

}  // namespace
}  // namespace sf::test
