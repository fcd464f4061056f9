// The keeper caches part of init's state. Changes made to init by other processes, and side
// commands started by init, must be in every checkpoint.
#include <gmock/gmock.h>

#include <string>

#include "native_branch.h"

namespace sf::waypoint {
namespace {

const char* const kLook =
    "prlimit --pid 1 --nofile -o SOFT,HARD --noheadings; ps -o ni= -p 1; ionice -p 1\n"
    "cat /proc/1/oom_score_adj /proc/1/coredump_filter; taskset -p 1; ls /proc/1/fd | wc -l";

class InitTest : public NativeBranchTest {
 protected:
  void change_init(int n) {
    const std::string number = std::to_string(n);
    run("prlimit --pid 1 --nofile=50" + number + ":90" + number + "; renice -n " + number +
        " -p 1 >/dev/null; ionice -c 2 -n " + number + " -p 1; echo " + number +
        "0 > /proc/1/oom_score_adj; echo 0x" + number + " > /proc/1/coredump_filter; taskset -p " +
        (n % 2 == 0 ? "1" : "2") + " 1 >/dev/null");
  }
};

TEST_F(InitTest, ExternalChangesToInitAreInEveryCheckpoint) {
  const CheckpointId first = take();
  const std::string before = output(kLook);
  change_init(2);
  const std::string changed = output(kLook);
  EXPECT_NE(before, changed);
  const CheckpointId second = take();  // the first checkpoint filled the cache
  change_init(3);
  ASSERT_OK(wp_->restore(branch_, second));
  EXPECT_EQ(output(kLook), changed);
  ASSERT_OK(wp_->restore(branch_, first));
  EXPECT_EQ(output(kLook), before);
  take();  // fills the cache of the new keeper
  change_init(4);
  const std::string again = output(kLook);
  const CheckpointId third = take();
  change_init(5);
  ASSERT_OK(wp_->restore(branch_, third));
  EXPECT_EQ(output(kLook), again);
}

// After a restore the keeper reads the missing part of init's state with a delay.
TEST_F(InitTest, AChangeRightAfterARestoreIsInTheNextCheckpoint) {
  const CheckpointId first = take();
  for (int n = 1; n <= 3; ++n) {
    ASSERT_OK(wp_->restore(branch_, first));
    run("ionice -c 2 -n " + std::to_string(n) + " -p 1");
    std::string changed;
    for (int looks = 0; looks < 10; ++looks) changed = output(kLook);
    const CheckpointId here = take();
    ASSERT_OK(wp_->restore(branch_, here));
    EXPECT_EQ(output(kLook), changed);
  }
}

TEST_F(InitTest, SideCommandStartedByInitIsInTheCheckpoint) {
  take();
  const std::string before = output("ls /proc/1/fd | wc -l");
  ASSERT_OK(wp_->side_exec(branch_, {.argv = {"bash", "-c", "sleep 7654321 & disown"}}));
  run("x=1");
  const CheckpointId here = take();
  run("pkill sleep");
  ASSERT_OK(wp_->restore(branch_, here));
  EXPECT_EQ(output("pgrep -c -f 'sleep 7654321'"), "1\n");
  EXPECT_EQ(output("ls /proc/1/fd | wc -l"), before);
}

TEST_F(InitTest, InitsExecutableMayBeRemovedAndReplaced) {
  take();
  run("rm /dev/.waypoint-init; echo other > /dev/.waypoint-init");
  const CheckpointId here = take();
  run("rm /dev/.waypoint-init");
  ASSERT_OK(wp_->restore(branch_, here));
  EXPECT_EQ(output("cat /dev/.waypoint-init; readlink /proc/1/exe"),
            "other\n/dev/.waypoint-init (deleted)\n");
  ASSERT_OK(wp_->restore(branch_, take()));
  EXPECT_EQ(output("echo alive"), "alive\n");
}

TEST_F(InitTest, RemovedDeviceThatInitHoldsOpenIsReported) {
  take();
  run("mv /dev/null /dev/nothing");
  ASSERT_OK(wp_->restore(branch_, take()));
  run("rm /dev/nothing");
  auto taken = wp_->checkpoint(branch_);
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message, ::testing::HasSubstr("its name was removed"));
  EXPECT_EQ(output("echo alive"), "alive\n");
}

TEST_F(InitTest, RestoredInitReapsOrphansAndItsShell) {
  take();
  const CheckpointId here = take();
  ASSERT_OK(wp_->restore(branch_, here));
  run("bash -c 'sleep 0.01 & echo $! > /tmp/orphan'; until ! [ -e /proc/$(</tmp/orphan) ]; do :; "
      "done");
  run("exit 3");  // init must also reap its own shell
  EXPECT_EQ(output("echo again"), "again\n");
}

}  // namespace
}  // namespace sf::waypoint
