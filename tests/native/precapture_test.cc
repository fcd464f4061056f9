// Precaptured branches: a precapture equals the checkpoint that a direct capture would have taken,
// later requests see no difference, and active processes are not stopped.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "../faults/process_search.h"
#include "native_branch.h"
#include "os/file.h"
#include "os/process.h"
#include "shell/branch_files.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/file_layer_store.h"
#include "waypoint/keeper/keeper_resources.h"
#include "waypoint/manifest.h"

namespace sf::waypoint {
namespace {

constexpr auto kTimeout = seconds(20);
constexpr auto kShortTimeout = seconds(2);
constexpr auto kQuietForSure = milliseconds(400);  // longer than the idle time before a precapture

class PrecaptureTest : public NativeBranchTest {
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
  bool stands_within(microseconds patience) {
    // Check twice, because a precapture that fails also stops the branch for a moment.
    return faults::becomes_true(
        [&] {
          if (!stands()) return false;
          std::this_thread::sleep_for(milliseconds(30));
          return stands();
        },
        Deadline::after(patience));
  }
  // Runs `command`, perhaps repeatedly, and waits until the branch is precaptured. On a slow
  // machine the policy precaptures only after further checkpoints.
  void change(const std::string& command) {
    for (Deadline patience = Deadline::after(kTimeout); !patience.passed();) {
      // A new value in each round, so that the checkpoint is not shared.
      ASSERT_OK(wp_->exec(branch_, {.command = command + "; turn=" + std::to_string(++turn_)}));
      if (stands_within(wp_->checkpoints().empty() ? microseconds(0) : kShortTimeout)) return;
      take();
    }
    FAIL() << "the branch is not precaptured";
  }
  // The branch is never precaptured after `command`, although checkpoints are taken and there is
  // time for it.
  void expect_not_captured(const std::string& command) {
    change("x=0");
    run(command);
    expect_running();
  }
  void expect_running() {
    for (int i = 0; i < 2; ++i) {
      std::this_thread::sleep_for(kQuietForSure);
      EXPECT_FALSE(checkpoint().precaptured);
      run("y=$RANDOM");
    }
  }

 private:
  int turn_ = 0;
};

TEST_F(PrecaptureTest, PrecaptureHoldsTheStateOfADirectCapture) {
  // A program with its own memory that reads lines.
  run("mkfifo /tmp/in /tmp/out; python3 -c '\nn = 0\ntold = open(\"/tmp/out\", \"w\")\n"
      "for line in open(\"/tmp/in\"):\n  n += 1\n  told.write(str(n) + \"\\n\"); told.flush()\n' & "
      "exec 8<>/tmp/in 9<>/tmp/out; ask() { echo >&8; read -r n <&9; echo $n; }; ask");
  change("cd /tmp; x=1; echo one > f");
  const CheckpointInfo here = checkpoint();
  EXPECT_TRUE(here.precaptured);
  EXPECT_EQ(output("echo $x $PWD; cat f; ask"), "1 /tmp\none\n2\n");
  run("x=2; echo two > f; cd /; ask");
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(wp_->restore(branch_, here.id));
    EXPECT_EQ(output("echo $x $PWD; cat f; ask"), "1 /tmp\none\n2\n");
  }
  auto forks = wp_->fork(here.id, 2);
  for (auto& fork : forks) {
    ASSERT_OK(fork);
    ASSERT_OK_AND_ASSIGN(Observation said, wp_->exec(*fork, {.command = "ask; echo $x"}));
    EXPECT_EQ(said.output, "2\n1\n");
  }
}

// A search restores, runs a command and takes a checkpoint, each time in a branch without an
// earlier checkpoint.
TEST_F(PrecaptureTest, RestoredBranchIsPrecaptured) {
  change("x=0");
  const CheckpointId first = checkpoint().id;
  int precaptured = 0;
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(wp_->restore(branch_, first));
    run("x=" + std::to_string(i));
    (void)stands_within(kShortTimeout);
    const CheckpointInfo info = checkpoint();
    precaptured += info.precaptured ? 1 : 0;
    run("x=other");
    ASSERT_OK(wp_->restore(branch_, info.id));
    EXPECT_EQ(output("echo $x"), std::to_string(i) + "\n");
  }
  EXPECT_GT(precaptured, 0);
}

TEST_F(PrecaptureTest, EachPrecaptureHoldsItsOwnState) {
  std::vector<CheckpointInfo> all;
  for (int i = 0; i < 5; ++i) {
    change("x=" + std::to_string(i) + "; echo $x > /tmp/f" + std::to_string(i));
    all.push_back(checkpoint());
    EXPECT_TRUE(all.back().precaptured);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_OK(wp_->restore(branch_, all[i].id));
    std::string files;
    for (std::size_t j = 0; j <= i; ++j) files += "/tmp/f" + std::to_string(j) + "\n";
    EXPECT_EQ(output("echo $x; ls -1 /tmp/f?"), std::to_string(i) + "\n" + files);
  }
}

TEST_F(PrecaptureTest, ChangesAfterAPrecaptureAreInTheCheckpoint) {
  auto expect_seen = [&](const std::string& probe, const std::string& expected) {
    const CheckpointInfo info = checkpoint();
    run("x=lost; rm -f /tmp/beside; stty rows 50");
    ASSERT_OK(wp_->restore(branch_, info.id));
    EXPECT_EQ(output(probe), expected);
  };
  change("x=1");
  EXPECT_EQ(output("x=2; echo $x"), "2\n");
  expect_seen("echo $x", "2\n");

  change("x=3");
  ASSERT_OK_AND_ASSIGN(SideObservation side,
                       wp_->side_exec(branch_, {.argv = {"sh", "-c", "echo 4 > /tmp/beside"}}));
  EXPECT_EQ(side.exit_code, 0);
  expect_seen("cat /tmp/beside", "4\n");

  change("x=5");
  ASSERT_OK(wp_->resize(branch_, {33, 90}));
  expect_seen("stty size", "33 90\n");

  change("x=6");
  ASSERT_OK(wp_->send_keys(branch_, "x=7\n"));
  EXPECT_TRUE(
      faults::becomes_true([&] { return output("echo $x") == "7\n"; }, Deadline::after(kTimeout)));
  expect_seen("echo $x", "7\n");
}

TEST_F(PrecaptureTest, FileWrittenThroughTheApiIsInTheNextCheckpoint) {
  for (int i = 0; i < 3; ++i) {
    const std::string payload = "payload " + std::to_string(i);
    change("x=1");
    ASSERT_OK(wp_->write_file(branch_, "/root/f", payload));
    const CheckpointInfo info = checkpoint();
    EXPECT_FALSE(info.precaptured);
    run("rm /root/f");
    ASSERT_OK(wp_->restore(branch_, info.id));
    EXPECT_EQ(output("cat /root/f"), payload);
    for (auto& fork : wp_->fork(info.id, 2)) {
      ASSERT_OK(fork);
      ASSERT_OK_AND_ASSIGN(Observation said, wp_->exec(*fork, {.command = "cat /root/f"}));
      EXPECT_EQ(said.output, payload);
      ASSERT_OK(wp_->end(*fork));
    }
  }
}

// Writes through /proc/PID/root bypass the keeper. The precapture must be discarded.
TEST_F(PrecaptureTest, ChangeThatBypassesTheKeeperIsInTheNextCheckpoint) {
  const struct {
    const char* change;
    const char* probe;
    const char* expected;
  } rows[] = {
      {"echo new >$R/root/made", "cat /root/made", "new\n"},
      {"echo more >>$R/root/kept", "cat /root/kept", "kept\nmore\n"},
      {"rm $R/root/kept", "ls /root/kept 2>/dev/null; echo $?", "2\n"},
      {"mv $R/root/kept $R/root/moved", "ls /root/moved", "/root/moved\n"},
      {"chmod 600 $R/root/kept", "stat -c %a /root/kept", "600\n"},
      {"chown 33 $R/root/kept", "stat -c %u /root/kept", "33\n"},
      {"ln $R/root/kept $R/root/second", "stat -c %h /root/kept", "2\n"},
      {"mkdir $R/usr/fresh", "ls -d /usr/fresh", "/usr/fresh\n"},
      {"touch -d @1 $R/root/kept", "stat -c %Y /root/kept", "1\n"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.change);
    change(
        "rm -rf /root/made /root/moved /root/second /usr/fresh /root/kept; "
        "echo kept >/root/kept; chmod 644 /root/kept");
    ASSERT_OK_AND_ASSIGN(BranchPids pids, wp_->pids(branch_));
    const std::string outside = "R=/proc/" + std::to_string(pids.init) + "/root; " + row.change;
    ASSERT_EQ(std::system(outside.c_str()), 0);
    ASSERT_TRUE(stands());
    const CheckpointInfo info = checkpoint();
    EXPECT_FALSE(info.precaptured);
    run("rm -rf /root/*; rm -rf /usr/fresh");
    ASSERT_OK(wp_->restore(branch_, info.id));
    EXPECT_EQ(output(row.probe), row.expected);
  }
}

// Reads from outside must change nothing that a command can observe, including access times.
TEST_F(PrecaptureTest, FileReadThroughTheApiKeepsThePrecapture) {
  change("echo text >/root/f; touch -a -d @1 /root/f");
  ASSERT_OK_AND_ASSIGN(BranchPids pids, wp_->pids(branch_));
  ASSERT_OK_AND_ASSIGN(
      std::string text,
      read_branch_file("/proc/" + std::to_string(pids.init) + "/root", "/root/f", 100));
  EXPECT_EQ(text, "text\n");
  EXPECT_TRUE(checkpoint().precaptured);
  EXPECT_EQ(output("stat -c %X /root/f"), "1\n");
}

TEST_F(PrecaptureTest, BranchWithTooManyFilesIsNotPrecaptured) {
  change("x=1");
  run("mkdir /tmp/many; cd /tmp/many; touch $(seq 5000); x=2");
  expect_running();
  EXPECT_EQ(output("ls /tmp/many | wc -l"), "5000\n");
}

TEST_F(PrecaptureTest, ReadingTheScreenKeepsThePrecapture) {
  change("x=1; echo seen");
  ASSERT_OK(wp_->screen(branch_));
  EXPECT_TRUE(stands());
  EXPECT_TRUE(checkpoint().precaptured);
}

TEST_F(PrecaptureTest, UnchangedBranchSharesThePreviousCheckpoint) {
  auto look = [&](const std::string& command) {
    ASSERT_OK(wp_->exec(branch_, {.command = command, .fingerprint = true}));
  };
  change("x=1");
  look("x=2");
  const CheckpointInfo first = checkpoint();
  look("ls /usr");  // reads no file of the branch's own layer
  (void)stands_within(kShortTimeout);
  const CheckpointInfo second = checkpoint();
  EXPECT_EQ(second.base, first.id);
  EXPECT_FALSE(second.precaptured);
  run("x=3");
  ASSERT_OK(wp_->restore(branch_, second.id));
  EXPECT_EQ(output("echo $x"), "2\n");
}

TEST_F(PrecaptureTest, BackgroundWorkIsNotStopped) {
  change("y=1");
  run("(while sleep 0.01; do echo >> /tmp/ticks; done) & until [ -e /tmp/ticks ]; do :; done");
  ASSERT_OK_AND_ASSIGN(std::string files, wp_->changed_files(branch_));
  auto ticks = [&] { return std::filesystem::file_size(files + "/tmp/ticks"); };
  std::this_thread::sleep_for(kQuietForSure);
  const auto before = ticks();
  EXPECT_TRUE(
      faults::becomes_true([&] { return ticks() > before + 5; }, Deadline::after(kTimeout)));
}

TEST_F(PrecaptureTest, SleepingProcessIsNotStopped) {
  expect_not_captured("sleep 1000 & job=$!; until [ -n \"$(ps -o wchan= $job)\" ]; do :; done");
}

// A sleep continued after SIGSTOP is in restart_syscall(2), not in its original system call.
TEST_F(PrecaptureTest, InterruptedSleepIsNotStopped) {
  expect_not_captured(
      "sleep 1000 & job=$!; until [ -n \"$(ps -o wchan= $job)\" ]; do :; done; kill -STOP $job; "
      "until [ \"$(ps -o stat= $job | cut -c1)\" = T ]; do :; done; kill -CONT $job; "
      "until [ \"$(ps -o stat= $job | cut -c1)\" = S ]; do :; done");
}

// A failed precapture must not be visible to the processes, and the next checkpoint must still
// record the calls they wait in.
TEST_F(PrecaptureTest, FailedPrecaptureDoesNotInterruptWaits) {
  change("x=0");
  run("sleeper() { python3 -c '\nimport ctypes, sys\nlibc = ctypes.CDLL(None)\n"
      "open(sys.argv[1], \"w\").write(str(libc.usleep(1000 * 1000 * 1000)))' $1 & }\n"
      "waiter() { python3 -c '\nimport ctypes, sys\nlibc = ctypes.CDLL(None)\n"
      "open(sys.argv[1], \"w\").write(str(libc.poll(None, 0, 1000 * 1000)))' $1 & }\n"
      "sleeper /tmp/a; sleeper /tmp/b; waiter /tmp/c; waiter /tmp/d\n"
      "for p in $(jobs -p); do until grep -q '^\\(7\\|230\\) ' /proc/$p/syscall; do :; done; done");
  std::this_thread::sleep_for(kQuietForSure);
  const CheckpointId here = take();
  ASSERT_OK(wp_->restore(branch_, here));
  EXPECT_EQ(output("sleep 0.3; cat /tmp/a /tmp/b /tmp/c /tmp/d; jobs -rp | wc -l"), "4\n");
}

TEST_F(PrecaptureTest, ProcessWithAnAlarmIsNotStopped) {
  expect_not_captured(
      "python3 -c 'import signal\nsignal.setitimer(signal.ITIMER_REAL, 1000)\n"
      "open(\"/tmp/set\", \"w\"); signal.pause()' & until [ -e /tmp/set ]; do :; done");
}

TEST_F(PrecaptureTest, ListeningServerIsNotStopped) {
  expect_not_captured(
      "python3 -c 'import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind(\"/tmp/s\")\n"
      "s.listen()\nopen(\"/tmp/set\", \"w\")\nimport signal; signal.pause()' & "
      "until [ -e /tmp/set ]; do :; done");
}

TEST_F(PrecaptureTest, NoPrecaptureWithoutCheckpoints) {
  run("x=1");
  EXPECT_FALSE(stands_within(kQuietForSure));
  change("x=0");
  bool last = true;
  for (int i = 0; i < 8 && last; ++i) {
    run("x=" + std::to_string(i));
    last = stands_within(kShortTimeout);
  }
  run("x=9");  // after several unused precaptures, or one slow one
  EXPECT_FALSE(stands_within(kQuietForSure));
  change("x=10");  // taking checkpoints enables precaptures again
}

TEST_F(PrecaptureTest, ShellKilledWhilePrecapturedIsReplaced) {
  change("x=1");
  ASSERT_OK_AND_ASSIGN(BranchPids pids, wp_->pids(branch_));
  ::kill(pids.shell, SIGKILL);
  EXPECT_EQ(output("echo \"[$x]\""), "[]\n");
}

TEST_F(PrecaptureTest, CheckpointAfterAKilledShellHoldsTheNewShell) {
  change("x=1");
  ASSERT_OK_AND_ASSIGN(BranchPids pids, wp_->pids(branch_));
  ::kill(pids.shell, SIGKILL);
  EXPECT_EQ(output("echo \"[$x]\""), "[]\n");
  const CheckpointId here = take();
  run("x=2");
  ASSERT_OK(wp_->restore(branch_, here));
  EXPECT_EQ(output("echo \"[$x]\""), "[]\n");
}

TEST_F(PrecaptureTest, BranchIsCapturedAgainAfterAHeldProcessIsKilled) {
  run("mkfifo /tmp/in; cat /tmp/in & job=$!; exec 8<>/tmp/in");
  change("x=1");
  ASSERT_OK_AND_ASSIGN(BranchPids pids, wp_->pids(branch_));
  pid_t job = 0;
  for (pid_t child : os::children_of(pids.shell)) job = child;
  ASSERT_NE(job, 0);
  ::kill(job, SIGKILL);
  EXPECT_TRUE(faults::becomes_true([&] { return os::children_of(pids.shell).empty(); },
                                   Deadline::after(kTimeout)));
  EXPECT_TRUE(stands_within(kTimeout)) << "no command follows";
  const CheckpointInfo info = checkpoint();
  EXPECT_TRUE(info.precaptured);
  ASSERT_OK(wp_->restore(branch_, info.id));
  EXPECT_EQ(output("echo $x; kill -0 $job 2>/dev/null; echo $?"), "1\n1\n");
}

TEST_F(PrecaptureTest, BranchKilledWhilePrecapturedIsNotAlive) {
  change("x=1");
  const CheckpointId here = checkpoint().id;
  change("x=2");
  ASSERT_OK_AND_ASSIGN(BranchPids pids, wp_->pids(branch_));
  ::kill(pids.init, SIGKILL);
  EXPECT_TRUE(faults::becomes_true([&] { return !wp_->branches().at(0).alive; },
                                   Deadline::after(kTimeout)));
  auto forks = wp_->fork(here, 1);
  ASSERT_OK(forks[0]);
  ASSERT_OK_AND_ASSIGN(Observation said, wp_->exec(*forks[0], {.command = "echo $x"}));
  EXPECT_EQ(said.output, "1\n");
}

TEST_F(PrecaptureTest, NextManagerUsesThePrecapture) {
  change("x=1");
  wp_.reset();
  auto opened = Waypoint::open({.store_dir = dir_.path() + "/store"});
  ASSERT_OK(opened);
  wp_.emplace(std::move(*opened));
  EXPECT_TRUE(stands());
  const CheckpointInfo info = checkpoint();
  EXPECT_TRUE(info.precaptured);
  EXPECT_EQ(output("echo $x; x=2"), "1\n");
  ASSERT_OK(wp_->restore(branch_, info.id));
  EXPECT_EQ(output("echo $x"), "1\n");
}

// As after a failure of the host right after the checkpoint (store_sweep.h).
TEST_F(PrecaptureTest, CheckpointIsRestoredThoughItsRenameWasUndone) {
  change("x=1; echo one >/root/f");
  const CheckpointInfo info = checkpoint();
  ASSERT_TRUE(info.precaptured);
  run("x=2; echo two >/root/f");
  wp_->end_all();
  wp_.reset();
  const std::string store = dir_.path() + "/store";
  const std::string kept = store + "/checkpoints/" + info.id.value();
  ASSERT_OK_AND_ASSIGN(std::string written, os::read_file(kept + "/manifest.json"));
  ASSERT_OK_AND_ASSIGN(std::string terminal, os::read_file(kept + "/terminal"));
  ASSERT_OK_AND_ASSIGN(Manifest manifest, parse_manifest(written, terminal));
  ASSERT_FALSE(manifest.precapture_keeper.empty());
  {
    ASSERT_OK_AND_ASSIGN(auto file_layers, FileLayerStore::open(store, "auto", 0));
    ASSERT_OK(file_layers->rename(sealed_file_layer(info.id),
                                  precapture_file_layer(manifest.precapture_keeper)));
  }
  auto opened = Waypoint::open({.store_dir = store});
  ASSERT_OK(opened);
  wp_.emplace(std::move(*opened));
  auto forks = wp_->fork(info.id, 1);
  ASSERT_OK(forks[0]);
  branch_ = *forks[0];
  EXPECT_EQ(output("echo $x; cat /root/f"), "1\none\n");
}

TEST_F(PrecaptureTest, PrecapturedBranchCanBeEnded) {
  change("x=1");
  ASSERT_OK(wp_->end(branch_));
}

TEST_F(PrecaptureTest, KeeperKilledDuringAPrecaptureLeavesTheCheckpoints) {
  change("x=1");
  const CheckpointId first = checkpoint().id;
  for (int delay : {60, 98, 100, 101, 102, 103, 104, 106, 110, 150}) {  // around the precapture
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

TEST_F(PrecaptureTest, NoPrecaptureWithoutPrerestores) {
  wp_->end_all();
  wp_.reset();
  auto opened = Waypoint::open({.store_dir = dir_.path() + "/store", .prerestores = 0});
  ASSERT_OK(opened);
  wp_.emplace(std::move(*opened));
  branch_ = start({.engine = EngineChoice::kNative});
  take();
  run("x=1");
  expect_running();
}

}  // namespace
}  // namespace sf::waypoint
