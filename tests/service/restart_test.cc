// The daemon is killed or ended and started again: sessions, branches and nodes are kept.
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "daemon_world.h"
#include "os/file.h"

namespace sf::test {
namespace {

class ServiceRestartTest : public ::testing::TestWithParam<int> {
 protected:
  DaemonWorld world_;
};

INSTANTIATE_TEST_SUITE_P(Signals, ServiceRestartTest, ::testing::Values(SIGKILL, SIGTERM),
                         [](const auto& row) { return row.param == SIGKILL ? "Kill" : "Term"; });

TEST_P(ServiceRestartTest, NextCommandStartsADaemonThatFindsBranchesAndNodes) {
  std::string id = world_.output({"new", "--name", "s"});
  world_.exec_output("s", "X=1; echo one >/root/f");
  world_.output({"snapshot", "s", "--name", "one"});
  world_.output({"fork", "s", "--name", "other"});
  world_.exec_output("s", "X=2; echo two >/root/f; sleep 1000 &");
  pid_t before = world_.daemon_pid();
  world_.end_daemon(GetParam());
  EXPECT_EQ(world_.exec_output(id, "echo $X; cat /root/f; jobs"),
            "2\ntwo\n[1]+  Running                 sleep 1000 &");
  EXPECT_NE(world_.daemon_pid(), before);
  EXPECT_EQ(world_.exec_output("s/other", "echo $X"), "1");
  world_.output({"restore", "s", "one"});
  EXPECT_EQ(world_.exec_output("s", "echo $X; cat /root/f; jobs"), "1\none");
}

TEST_P(ServiceRestartTest, RepeatedKillsLoseNoAcknowledgedNode) {
  world_.output({"new", "--name", "s"});
  for (int i = 1; i <= 4; ++i) {
    world_.exec_output("s", "N=" + std::to_string(i));
    EXPECT_EQ(world_.output({"snapshot", "s"}), "n" + std::to_string(i));
    world_.end_daemon(GetParam());
  }
  for (int i = 1; i <= 4; ++i) {
    world_.output({"restore", "s", "n" + std::to_string(i)});
    EXPECT_EQ(world_.exec_output("s", "echo $N"), std::to_string(i));
  }
}

TEST(ServiceEndTest, ASecondDaemonIsRefused) {
  DaemonWorld world;
  world.output({"ls"});
  pid_t first = world.daemon_pid();
  CommandRun second = world.run({"serve"});
  EXPECT_EQ(second.status, 1);
  EXPECT_NE(second.err.find("another daemon serves"), std::string::npos) << second.err;
  EXPECT_EQ(world.daemon_pid(), first);
}

TEST(ServiceEndTest, AfterSigtermTheSocketIsGone) {
  DaemonWorld world;
  world.output({"ls"});
  EXPECT_TRUE(os::exists(world.socket()));
  world.end_daemon(SIGTERM);
  EXPECT_FALSE(os::exists(world.socket()));
}

TEST(ServiceEndTest, RunningCommandDoesNotDelayTheDaemonsEnd) {
  DaemonWorld world;
  world.output({"new", "--name", "s"});
  std::thread waiting([&] { EXPECT_EQ(world.exec("s", "sleep 1000").status, 125); });
  world.wait_until_running("s");
  world.end_daemon(SIGTERM);
  waiting.join();
}

}  // namespace
}  // namespace sf::test
