// Concurrent callers. Also run under the thread sanitizer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <random>
#include <thread>

#include "testing/matchers.h"
#include "testing/session_fixture.h"

namespace sf::control {
namespace {

using test::SessionFixture;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BranchId kMain{"main"};

TEST(SessionThreadsTest, BranchesRunInParallel) {
  SessionFixture w;
  ASSERT_OK(w.build());
  ASSERT_OK(w.session().fork(kMain, "HEAD", {.count = 1}));
  // Each command waits for the other one, so both end only if they run at the same time.
  std::latch both(2);
  w.backend.on_exec([&](const std::string&) { both.arrive_and_wait(); });
  auto other = std::async(std::launch::async, [&] { return w.run("b1", "set a 1"); });
  EXPECT_OK(w.run("main", "set a 2"));
  EXPECT_OK(other.get());
}

TEST(SessionThreadsTest, CallsOnOneBranchRunOneAtATime) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  w.backend.on_exec([&](const std::string&) {
    int now = ++running;
    most = std::max(most.load(), now);
    std::this_thread::yield();
    --running;
  });
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        for (int n = 0; n < 50; ++n) EXPECT_OK(w.run("main", "append a x"));
      });
    }
  }
  EXPECT_EQ(most, 1);
  EXPECT_THAT(w.dump("main"), HasSubstr("a=" + std::string(400, 'x') + "\n"));
}

TEST(SessionThreadsTest, KeysScreenAndFilesDoNotWaitForARunningCommand) {
  SessionFixture w;
  ASSERT_OK(w.build());
  ASSERT_OK(w.session().write_file(kMain, "/f", "text"));
  std::latch running(1);
  std::latch typed(1);
  w.backend.on_exec([&](const std::string&) {
    running.count_down();
    typed.wait();
  });
  auto command = std::async(std::launch::async, [&] { return w.run("main", "get keys"); });
  running.wait();
  EXPECT_OK(w.session().send_keys(kMain, "yes"));
  EXPECT_OK(w.session().screen(kMain));
  EXPECT_EQ(w.session().read_file(kMain, "/f", 100).value(), "text");
  typed.count_down();
  Result<Observation> seen = command.get();
  ASSERT_OK(seen);
  EXPECT_EQ(seen->output, "yes\n");
  SnapshotReport report = w.session().snapshot(kMain).value();
  EXPECT_THAT(report.why, HasSubstr("cannot be replayed"));
}

TEST(SessionThreadsTest, CommandAndResizeAreReplayedInTheirOriginalOrder) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  // The command is requested during the resize.
  std::future<Result<Observation>> command;
  std::latch waits(1);
  w.backend.on_resize([&] {
    command = std::async(std::launch::async, [&] {
      waits.count_down();
      return w.run("main", "dump");
    });
    waits.wait();
    // Without an order between the two, the command would end soon.
    (void)command.wait_for(std::chrono::milliseconds(100));
  });
  ASSERT_OK(w.session().resize(kMain, 50, 200));
  w.backend.on_resize({});
  ASSERT_OK(command.get());
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kVirtual);
  const std::string then = w.dump("main");
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.back("main", report.node));
  EXPECT_EQ(w.dump("main"), then);
}

TEST(SessionThreadsTest, ResizeDuringACommandForcesAPhysicalNode) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  w.backend.on_exec([&](const std::string&) {
    std::jthread other([&] { EXPECT_OK(w.session().resize(kMain, 50, 200)); });
  });
  ASSERT_OK(w.run("main", "dump"));
  w.backend.on_exec({});
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  EXPECT_THAT(report.why, HasSubstr("resize to 50x200"));
}

TEST(SessionThreadsTest, WindowOfUnknownSizeForcesAPhysicalNode) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  w.fuse.arm(1, test::Fuse::Mode::kFailOnce);  // the entry is recorded, the resize fails
  EXPECT_FALSE(w.session().resize(kMain, 50, 200).ok());
  ASSERT_TRUE(w.fuse.has_blown());
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  ASSERT_OK(w.back("main", report.node));
  EXPECT_EQ(w.machine("main")->rows, 40);
}

TEST(SessionThreadsTest, EndingABranchFailsItsRunningCommand) {
  SessionFixture w;
  ASSERT_OK(w.build());
  ASSERT_OK(w.session().fork(kMain, "HEAD", {.count = 1}));
  std::latch running(1);
  std::latch ended(1);
  w.backend.on_exec([&](const std::string&) {
    running.count_down();
    ended.wait();
  });
  auto command = std::async(std::launch::async, [&] { return w.run("b1", "set a 1"); });
  running.wait();
  EXPECT_OK(w.session().end_branch(BranchId("b1")));
  ended.count_down();
  EXPECT_EQ(command.get().error().code, ErrorCode::kSessionLost);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionThreadsTest, NodeThatIsBeingRestoredCannotBeCleanedUp) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.back("main", NodeId("n0")));
  std::latch replaying(1);
  std::latch resume(1);
  w.backend.on_exec([&](const std::string&) {
    replaying.count_down();
    resume.wait();
  });
  auto restored = std::async(std::launch::async, [&] { return w.back("main", here); });
  replaying.wait();
  Result<CleanupReport> busy = w.session().cleanup(kMain, here.value(), Force::kNo);
  EXPECT_EQ(busy.error().code, ErrorCode::kBusy);
  resume.count_down();
  EXPECT_OK(restored.get());
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionThreadsTest, ForcedCleanupFailsARestoreInProgressAndLeavesNoGarbage) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.back("main", NodeId("n0")));
  std::latch replaying(1);
  std::latch resume(1);
  w.backend.on_exec([&](const std::string&) {
    replaying.count_down();
    resume.wait();
  });
  auto restored = std::async(std::launch::async, [&] { return w.back("main", here); });
  replaying.wait();
  EXPECT_OK(w.session().cleanup(kMain, here.value(), Force::kYes));
  resume.count_down();
  EXPECT_EQ(restored.get().error().code, ErrorCode::kNotFound);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionThreadsTest, ConcurrentCallsKeepTheInvariants) {
  SessionFixture w("every-2");
  ASSERT_OK(w.build());
  ASSERT_OK(w.session().fork(kMain, "HEAD", {.count = 3}));
  {
    std::vector<std::jthread> callers;
    for (unsigned i = 0; i < 6; ++i) {
      callers.emplace_back([&w, i] {
        std::mt19937 random(i);
        const std::vector<std::string> names = {"main", "b1", "b2", "b3"};
        for (int n = 0; n < 150; ++n) {
          const std::string& name = names[random() % names.size()];
          const BranchId branch(name);
          // Each call may fail because of a race; none may break an invariant.
          switch (random() % 6) {
            case 0:
              (void)w.session().snapshot(branch).ok();
              break;
            case 1:
              (void)w.session().restore(branch, "HEAD~" + std::to_string(random() % 3)).ok();
              break;
            case 2:
              (void)w.session().cleanup(branch, "HEAD~1", Force::kNo).ok();
              break;
            case 3:
              (void)w.session().send_keys(branch, "k").ok();
              break;
            case 4:
              (void)w.session().stats();
              break;
            default:
              (void)w.run(name, "append a x").ok();
              break;
          }
        }
      });
    }
  }
  EXPECT_THAT(w.broken_rules(), IsEmpty());
  EXPECT_OK(w.restart());
  EXPECT_EQ(w.orphans, 0U);
}

TEST(SessionThreadsTest, EndOfASessionLeavesNoGarbageWhileCallsRun) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.session().fork(kMain, "HEAD", {.count = 3}));
  {
    std::latch started(4);
    std::vector<std::jthread> callers;
    for (const char* name : {"main", "b1", "b2", "b3"}) {
      callers.emplace_back([&w, &started, name] {
        started.count_down();
        for (int n = 0; n < 1000; ++n) {
          if (!w.run(name, "append a x").ok()) return;
          (void)w.session().snapshot(BranchId(name)).ok();
          (void)w.session().restore(BranchId(name), "HEAD~1").ok();
        }
      });
    }
    started.wait();
    EXPECT_OK(w.session().end_session());
  }
  EXPECT_EQ(w.backend.usage()->live_branches, 0U);
  EXPECT_EQ(w.backend.usage()->physical_snapshots, 0U);
}

}  // namespace
}  // namespace sf::control
