// Concurrent clients.
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "daemon_world.h"

namespace sf::test {
namespace {

class ServiceClientsTest : public ::testing::Test {
 protected:
  // Calls work(0), work(1), ... concurrently and waits for all.
  template <typename Work>
  void at_once(int count, Work work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
    for (std::thread& thread : threads) thread.join();
  }
  DaemonWorld world_;
};

TEST_F(ServiceClientsTest, SeveralFirstClientsStartOneDaemon) {
  at_once(6, [this](int) { world_.output({"ls"}); });
  EXPECT_EQ(world_.running_daemons(), 1U);
}

TEST_F(ServiceClientsTest, NameIsGivenToOneSessionOnly) {
  std::atomic<int> made = 0;
  at_once(4, [&](int) { made += world_.run({"new", "--name", "mine"}).status == 0 ? 1 : 0; });
  EXPECT_EQ(made, 1);
  EXPECT_EQ(wire::Json::parse(world_.output({"ls", "--json"}))["sessions"].size(), 1U);
}

TEST_F(ServiceClientsTest, OneBranchDoesOneThingAtATime) {
  world_.output({"new", "--name", "s"});
  at_once(8, [this](int) { world_.exec_output("s", "n=$((n+1))"); });
  EXPECT_EQ(world_.exec_output("s", "echo $n"), "8");
}

TEST_F(ServiceClientsTest, SessionsRunSideBySide) {
  world_.output({"new", "--name", "a"});
  world_.output({"new", "--name", "b"});
  std::thread running([this] { EXPECT_EQ(world_.exec("a", "sleep 1000").status, 125); });
  world_.wait_until_running("a");
  EXPECT_EQ(world_.exec_output("b", "echo beside"), "beside");
  world_.output({"rm", "a"});
  running.join();
}

TEST_F(ServiceClientsTest, EndingASessionFailsItsRunningCommand) {
  world_.output({"new", "--name", "s"});
  std::thread running([this] { EXPECT_EQ(world_.exec("s", "sleep 1000").status, 125); });
  world_.wait_until_running("s");
  world_.output({"rm", "s"});
  running.join();
}

}  // namespace
}  // namespace sf::test
