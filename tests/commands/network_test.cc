// Checkpoint and restore of branches on the host's network and on a private one.
#include "fixture.h"

namespace sf::waypoint {
namespace {

TEST_F(CommandsTest, BranchOnTheHostsNetworkCanBeRestored) {
  branch_ = start({.network = Network::kHost});
  EXPECT_EQ(output("x=1; ls -d /sys/class/net/lo"), "/sys/class/net/lo\n");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  run("x=2");
  ASSERT_OK(wp_->restore(branch_, here.id));
  EXPECT_EQ(output("echo $x"), "1\n");
}

TEST_F(CommandsTest, EveryPrivateBranchHasThePortToItself) {
  branch_ = start();
  run("python3 -m http.server --bind 127.0.0.1 8000 >/dev/null 2>&1 &");
  run("until curl -sf localhost:8000 >/dev/null; do :; done");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  for (auto& fork : wp_->fork(here.id, 2)) {
    ASSERT_OK(fork);
    auto answer =
        wp_->exec(*fork, {.command = "curl -sf localhost:8000 >/dev/null && echo served"});
    ASSERT_OK(answer);
    EXPECT_EQ(answer->output, "served\n");
  }
  EXPECT_EQ(run("curl -sf localhost:8000 >/dev/null").exit_code, 0);
}

}  // namespace
}  // namespace sf::waypoint
