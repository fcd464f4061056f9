// Branches that are captured before anybody asks: such a checkpoint is the one that would have been
// taken, whoever wants something from the branch does not notice, and what works by itself is not
// kept from it.
#include <signal.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "../faults/process_search.h"
#include "native_branch.h"
#include "os/process.h"

namespace sf::waypoint {
namespace {

constexpr auto kPatience = seconds(20);
constexpr auto kQuietForSure = milliseconds(400);  // nobody waits that long before it captures

class CapturesAheadTest : public NativeBranchTest {
 protected:
  CheckpointInfo checkpoint() {
    auto info = wp_->checkpoint(branch_);
    EXPECT_TRUE(info.ok()) << (info ? "" : info.error().describe());
    return info ? *info : CheckpointInfo();
  }
  bool stands() {
    auto pids = wp_->pids(branch_);
    return pids && pids->shell != 0 && os::process_state(pids->shell) == 't';
  }
  // Waits until the branch has been captured, and stands.
  void await_capture() {
    ASSERT_TRUE(faults::becomes_true([&] { return stands(); }, Deadline::after(kPatience)));
  }
  // The branch has been changed by this command, and stands.
  void change(const std::string& command) {
    if (!is_known_) take();  // from now on somebody takes checkpoints
    is_known_ = true;
    ASSERT_OK(wp_->exec(branch_, {.command = command, .look = true}));
    await_capture();
  }
  // The branch never stands, though there is time for it.
  void expect_not_captured(const std::string& command) {
    run(command);
    take();
    run("y=$RANDOM");
    EXPECT_FALSE(
        faults::becomes_true([&] { return stands(); }, Deadline::after(kQuietForSure)));
    EXPECT_FALSE(checkpoint().ahead);
  }

 private:
  bool is_known_ = false;
};

TEST_F(CapturesAheadTest, WhatWasForeseenIsWhatWouldHaveBeenTaken) {
  // A program with memory of its own waits for lines.
  run("mkfifo /tmp/in /tmp/out; python3 -c '\nn = 0\ntold = open(\"/tmp/out\", \"w\")\n"
      "for line in open(\"/tmp/in\"):\n  n += 1\n  told.write(str(n) + \"\\n\"); told.flush()\n' & "
      "exec 8<>/tmp/in 9<>/tmp/out; ask() { echo >&8; read -r n <&9; echo $n; }");
  change("cd /tmp; x=1; echo one > f; ask");
  const CheckpointInfo here = checkpoint();
  EXPECT_TRUE(here.ahead);
  EXPECT_EQ(output("echo $x $PWD; cat f; ask"), "1 /tmp\none\n2\n");
  run("x=2; echo two > f; cd /; ask");
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(wp_->restore(branch_, here.id));
    EXPECT_EQ(output("echo $x $PWD; cat f; ask"), "1 /tmp\none\n2\n");
  }
  auto forks = wp_->fork(here.id, 2);
  for (auto& fork : forks) {
    ASSERT_OK(fork);
    ASSERT_OK_AND_ASSIGN(ExecResult said, wp_->exec(*fork, {.command = "ask; echo $x"}));
    EXPECT_EQ(said.output, "2\n1\n");
  }
}

// Search goes back, tries something, and takes a checkpoint: each time in a branch that has never
// seen one.
TEST_F(CapturesAheadTest, ABranchThatWasBroughtBackIsCapturedToo) {
  const CheckpointId first = take();
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(wp_->restore(branch_, first));
    run("x=" + std::to_string(i));
    await_capture();
    const CheckpointInfo info = checkpoint();
    EXPECT_TRUE(info.ahead);
    run("x=other");
    ASSERT_OK(wp_->restore(branch_, info.id));
    EXPECT_EQ(output("echo $x"), std::to_string(i) + "\n");
  }
}

TEST_F(CapturesAheadTest, EachOfManyIsTheRightOne) {
  std::vector<CheckpointInfo> all;
  for (int i = 0; i < 5; ++i) {
    change("x=" + std::to_string(i) + "; echo $x > /tmp/f" + std::to_string(i));
    all.push_back(checkpoint());
    EXPECT_TRUE(all.back().ahead);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_OK(wp_->restore(branch_, all[i].id));
    std::string files;
    for (std::size_t j = 0; j <= i; ++j) files += "/tmp/f" + std::to_string(j) + "\n";
    EXPECT_EQ(output("echo $x; ls -1 /tmp/f?"), std::to_string(i) + "\n" + files);
  }
}

TEST_F(CapturesAheadTest, WhatComesMeanwhileIsInTheCheckpoint) {
  auto expect_seen = [&](const std::string& probe, const std::string& expected) {
    const CheckpointInfo info = checkpoint();
    EXPECT_FALSE(info.ahead) << probe;
    run("x=lost; rm -f /tmp/beside; stty rows 50");
    ASSERT_OK(wp_->restore(branch_, info.id));
    EXPECT_EQ(output(probe), expected);
  };
  change("x=1");
  EXPECT_EQ(output("x=2; echo $x"), "2\n");
  expect_seen("echo $x", "2\n");

  change("x=3");
  ASSERT_OK_AND_ASSIGN(SideExecResult side,
                       wp_->side_exec(branch_, {.argv = {"sh", "-c", "echo 4 > /tmp/beside"}}));
  EXPECT_EQ(side.exit_code, 0);
  expect_seen("cat /tmp/beside", "4\n");

  change("x=5");
  ASSERT_OK(wp_->resize(branch_, {33, 90}));
  expect_seen("stty size", "33 90\n");

  change("x=6");
  ASSERT_OK(wp_->send_keys(branch_, "x=7\n"));
  EXPECT_TRUE(faults::becomes_true([&] { return output("echo $x") == "7\n"; },
                                   Deadline::after(kPatience)));
  expect_seen("echo $x", "7\n");
}

TEST_F(CapturesAheadTest, LookingAtTheScreenDisturbsNothing) {
  change("x=1; echo seen");
  ASSERT_OK(wp_->screen(branch_));
  EXPECT_TRUE(stands());
  EXPECT_TRUE(checkpoint().ahead);
}

TEST_F(CapturesAheadTest, WhereNothingChangedNothingIsKeptTwice) {
  change("x=1");
  const CheckpointInfo first = checkpoint();
  change("ls /");
  const CheckpointInfo second = checkpoint();
  EXPECT_EQ(second.base, first.id);
  EXPECT_FALSE(second.ahead);
  run("x=2");
  ASSERT_OK(wp_->restore(branch_, second.id));
  EXPECT_EQ(output("echo $x"), "1\n");
}

TEST_F(CapturesAheadTest, WhatWorksByItselfGoesOn) {
  run("(while sleep 0.01; do echo >> /tmp/ticks; done) & until [ -e /tmp/ticks ]; do :; done");
  take();
  run("y=1");
  auto ticks = [&] { return output("wc -l < /tmp/ticks"); };
  const std::string before = ticks();
  std::this_thread::sleep_for(kQuietForSure);
  EXPECT_GT(std::stoi(ticks()), std::stoi(before) + 5);
}

TEST_F(CapturesAheadTest, ATimeThatRunsIsNotStopped) {
  expect_not_captured("sleep 1000 & job=$!; until [ -n \"$(ps -o wchan= $job)\" ]; do :; done");
}

TEST_F(CapturesAheadTest, AnAlarmIsNotStopped) {
  expect_not_captured(
      "python3 -c 'import signal\nsignal.setitimer(signal.ITIMER_REAL, 1000)\n"
      "open(\"/tmp/set\", \"w\"); signal.pause()' & until [ -e /tmp/set ]; do :; done");
}

TEST_F(CapturesAheadTest, AServerThatSomebodyMayAskIsNotStopped) {
  expect_not_captured(
      "python3 -c 'import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind(\"/tmp/s\")\n"
      "s.listen()\nopen(\"/tmp/set\", \"w\")\nimport signal; signal.pause()' & "
      "until [ -e /tmp/set ]; do :; done");
}

TEST_F(CapturesAheadTest, WhoeverTakesNoCheckpointsIsNotCaptured) {
  run("x=1");
  EXPECT_FALSE(faults::becomes_true([&] { return stands(); }, Deadline::after(kQuietForSure)));
  take();
  for (int i = 0; i < 8; ++i) {
    run("x=" + std::to_string(i));
    await_capture();
  }
  run("x=9");  // eight for nothing
  EXPECT_FALSE(faults::becomes_true([&] { return stands(); }, Deadline::after(kQuietForSure)));
  take();
  run("x=10");
  await_capture();
}

TEST_F(CapturesAheadTest, AShellThatIsKilledWhileItStandsIsReplaced) {
  change("x=1");
  ASSERT_OK_AND_ASSIGN(BranchPids pids, wp_->pids(branch_));
  ::kill(pids.shell, SIGKILL);
  EXPECT_EQ(output("echo \"[$x]\""), "[]\n");
}

// The image was complete before the shell was killed, and nobody has asked yet.
TEST_F(CapturesAheadTest, ACheckpointOfABranchWhoseShellWasKilledStillComesBack) {
  change("x=1");
  ASSERT_OK_AND_ASSIGN(BranchPids pids, wp_->pids(branch_));
  ::kill(pids.shell, SIGKILL);
  auto info = wp_->checkpoint(branch_);
  if (!info) return;  // told so; the branch is not harmed
  ASSERT_OK(wp_->restore(branch_, info->id));
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CapturesAheadTest, ABranchIsFoundAgainByTheNextManager) {
  change("x=1");
  const CheckpointId first = wp_->checkpoints().at(0).id;
  wp_.reset();
  auto opened = Waypoint::open({.store_dir = dir_.path() + "/store"});
  ASSERT_OK(opened);
  wp_.emplace(std::move(*opened));
  const CheckpointInfo info = checkpoint();
  EXPECT_TRUE(info.ahead);
  EXPECT_EQ(output("echo $x; x=2"), "1\n");
  ASSERT_OK(wp_->restore(branch_, first));
  EXPECT_EQ(output("echo \"[$x]\""), "[]\n");
  ASSERT_OK(wp_->restore(branch_, info.id));
  EXPECT_EQ(output("echo $x"), "1\n");
}

TEST_F(CapturesAheadTest, OneThatStandsEnds) {
  change("x=1");
  ASSERT_OK(wp_->end(branch_));
}

TEST_F(CapturesAheadTest, AKeeperThatIsKilledMeanwhileLeavesTheCheckpointsAsTheyWere) {
  change("x=1");
  const CheckpointId first = checkpoint().id;
  for (int delay : {60, 98, 100, 101, 102, 103, 104, 106, 110, 150}) {  // around its capture
    ASSERT_OK_AND_ASSIGN(branch_, [&]() -> Result<BranchId> {
      auto forks = wp_->fork(first, 1);
      return std::move(forks[0]);
    }());
    EXPECT_EQ(output("echo $x; x=2"), "1\n");
    std::this_thread::sleep_for(milliseconds(delay));
    for (const BranchInfo& info : wp_->branches())
      if (info.id == branch_) ::kill(info.keeper_pid, SIGKILL);
    EXPECT_FALSE(wp_->exec(branch_, {.command = "true"}).ok());
    (void)wp_->end(branch_);
  }
  EXPECT_EQ(wp_->checkpoints().size(), 2U);
}

TEST_F(CapturesAheadTest, NoneAreMadeWhereNothingIsToBeMadeAhead) {
  wp_->end_all();
  wp_.reset();
  auto opened = Waypoint::open({.store_dir = dir_.path() + "/store", .trees_ahead = 0});
  ASSERT_OK(opened);
  wp_.emplace(std::move(*opened));
  branch_ = start({.engine = EngineChoice::kNative});
  expect_not_captured("x=1");
}

}  // namespace
}  // namespace sf::waypoint
