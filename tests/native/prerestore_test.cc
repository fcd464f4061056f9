// Prerestored trees: they equal a tree restored on request, their clocks do not advance, and
// nothing of them is left afterwards.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "../faults/process_search.h"
#include "native_branch.h"

namespace sf::waypoint {
namespace {

class PrerestoreTest : public NativeBranchTest {
 protected:
  bool is_ready(const CheckpointId& checkpoint) {
    wp_->settle();
    return std::ranges::count(wp_->ready(), checkpoint) == 1;
  }
  // Keepers of this store, including spares and those of prerestored trees.
  std::set<pid_t> keepers() { return faults::keepers_of(dir_.path()); }
  // Takes one sample, because a keeper that ends between two samples would count.
  std::size_t trees() {
    return static_cast<std::size_t>(std::ranges::count_if(
        keepers(), [](pid_t keeper) { return faults::init_of(keeper).has_value(); }));
  }
  void kill_all_but_the_branch() {
    const pid_t live = wp_->branches().at(0).keeper_pid;
    for (pid_t keeper : keepers())
      if (keeper != live) ::kill(keeper, SIGKILL);
  }
};

TEST_F(PrerestoreTest, TakenOrRestoredCheckpointIsPrerestored) {
  run("x=1; echo one > /tmp/f; sleep 1000 & job=$!");
  const CheckpointId first = take();
  EXPECT_TRUE(is_ready(first));
  for (int i = 0; i < 3; ++i) {
    run("x=2; echo two > /tmp/f; kill $job; wait $job");
    ASSERT_OK(wp_->restore(branch_, first));
    EXPECT_EQ(output("echo $x; cat /tmp/f; kill -0 $job && echo alive"), "1\none\nalive\n");
    EXPECT_TRUE(is_ready(first));
  }
}

TEST_F(PrerestoreTest, TwoCheckpointsArePrerestoredAndTheOthersRestoreOnRequest) {
  std::vector<CheckpointId> all;
  for (int i = 0; i < 4; ++i) {
    run("x=" + std::to_string(i));
    all.push_back(take());
  }
  wp_->settle();
  EXPECT_THAT(wp_->ready(), ::testing::UnorderedElementsAre(all[2], all[3]));
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_OK(wp_->restore(branch_, all[i]));
    EXPECT_EQ(output("echo $x"), std::to_string(i) + "\n");
  }
}

TEST_F(PrerestoreTest, NoPrerestoreWithoutRestores) {
  for (int i = 0; i < 20; ++i) {
    run("x=" + std::to_string(i));
    take();
    wp_->settle();
  }
  EXPECT_TRUE(wp_->ready().empty());
  const CheckpointId last = take();
  ASSERT_OK(wp_->restore(branch_, last));  // the first restore enables prerestores
  EXPECT_TRUE(is_ready(last));
}

// An armed timer would expire while the tree waits.
TEST_F(PrerestoreTest, TreeWithARunningClockIsNotPrerestored) {
  run("python3 -c 'import signal, time\nsignal.setitimer(signal.ITIMER_REAL, 1000)\n"
      "open(\"/tmp/set\", \"w\"); time.sleep(1000)' & job=$!; until [ -e /tmp/set ]; do :; done");
  const CheckpointId here = take();
  EXPECT_FALSE(is_ready(here));
  ASSERT_OK(wp_->restore(branch_, here));
  EXPECT_EQ(output("kill -0 $job && echo alive"), "alive\n");
}

TEST_F(PrerestoreTest, PrerestoredSleepKeepsItsRemainingTime) {
  run("sleep 3 & job=$!; until [ \"$(cut -d' ' -f1 /proc/$job/syscall)\" = 230 ]; do :; done");
  const CheckpointId here = take();
  ASSERT_TRUE(is_ready(here));
  run("wait $job");  // takes 3 s, during which the prerestored tree waits
  ASSERT_OK(wp_->restore(branch_, here));
  EXPECT_EQ(output("kill -0 $job && echo alive"), "alive\n");
  EXPECT_EQ(run("wait $job").exit_code, 0);
}

TEST_F(PrerestoreTest, RemovedCheckpointLeavesNoPrerestoredTree) {
  run("x=1");
  const CheckpointId here = take();
  ASSERT_TRUE(is_ready(here));
  EXPECT_EQ(trees(), 2U);
  ASSERT_OK(wp_->remove(here));
  wp_->settle();
  EXPECT_TRUE(wp_->ready().empty());
  EXPECT_EQ(trees(), 1U);
  EXPECT_EQ(wp_->restore(branch_, here).error().code, ErrorCode::kNotFound);
}

TEST_F(PrerestoreTest, KilledPrerestoredTreeIsRestoredOnRequest) {
  run("x=1");
  const CheckpointId here = take();
  ASSERT_TRUE(is_ready(here));
  kill_all_but_the_branch();
  run("x=2");
  ASSERT_OK(wp_->restore(branch_, here));
  EXPECT_EQ(output("echo $x"), "1\n");
}

TEST_F(PrerestoreTest, PrerestoredProcessesDieWithTheirKeeper) {
  const std::string command = "sleep 1" + std::to_string(::getpid());  // unique to this test
  auto sleepers = [&] { return faults::processes_like(command).size(); };
  run(command + " &");
  // Before exec the child is a copy of the shell, and the checkpoint would hold that copy.
  ASSERT_TRUE(faults::becomes_true([&] { return sleepers() == 1; }, Deadline::after(seconds(10))));
  const CheckpointId here = take();
  ASSERT_TRUE(is_ready(here));
  EXPECT_EQ(sleepers(), 2U);
  kill_all_but_the_branch();
  EXPECT_TRUE(faults::becomes_true([&] { return sleepers() == 1; }, Deadline::after(seconds(10))));
}

}  // namespace
}  // namespace sf::waypoint
