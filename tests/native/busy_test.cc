// Trees that are always busy: all processors are in use, or processes are forked, replaced and
// ended all the time. Checkpoints and restores must work, and every process must find its state
// intact.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "../commands/fixture.h"
#include "os/file.h"

namespace sf::waypoint {
namespace {

using ::testing::HasSubstr;

constexpr auto kTimeout = milliseconds(60'000);

class BusyTest : public CommandsTest {
 protected:
  // The epoch that was set, and the value of each counter.
  struct Look {
    int epoch = -1;
    std::vector<unsigned long long> counts;
  };

  void begin(const std::string& what) {
    BranchConfig config;
    config.engine = EngineChoice::kNative;
    branch_ = start(config);
    auto program = os::read_file(SF_BUSY_TREE, 64U << 20U);
    ASSERT_TRUE(program.ok()) << program.error().describe();
    SideRequest install;
    install.argv = {"sh", "-c",
                    "cat > /tmp/busy-tree; chmod +x /tmp/busy-tree; mkfifo /tmp/in /tmp/out"};
    install.user = "root";
    install.input = *program;
    auto installed = wp_->side_exec(branch_, install);
    ASSERT_TRUE(installed.ok()) << installed.error().describe();
    run("exec 8<>/tmp/in 9<>/tmp/out; /tmp/busy-tree " + what + " <&8 >&9 8<&- 9<&- &");
  }
  std::string ask(const std::string& request) {
    return run("echo " + request + " >&8; read -r -t 50 x <&9; echo \"$x\"", kTimeout).output;
  }
  void set_epoch(int epoch) {
    std::string n = std::to_string(epoch);
    ASSERT_EQ(ask("epoch " + n), "epoch " + n + "\n");
  }
  Look look() {
    Look seen;
    std::string answer = ask("look");
    std::istringstream stream(answer);
    std::string word;
    stream >> word >> seen.epoch;
    EXPECT_EQ(word, "ok") << answer;
    for (unsigned long long count = 0; stream >> count;) seen.counts.push_back(count);
    return seen;
  }
  // No counter is behind `then`.
  static void expect_reached(const Look& now, const Look& then) {
    ASSERT_EQ(now.counts.size(), then.counts.size());
    for (std::size_t i = 0; i < now.counts.size(); ++i)
      EXPECT_GE(now.counts[i], then.counts[i]) << "counter " << i;
  }
  void expect_all_resume(const Look& from) {
    Deadline deadline = Deadline::after(kTimeout);
    for (bool all = false; !all;) {
      ASSERT_FALSE(deadline.passed()) << "a counter does not advance";
      Look now = look();
      ASSERT_EQ(now.counts.size(), from.counts.size());
      all = true;
      for (std::size_t i = 0; i < now.counts.size(); ++i) all &= now.counts[i] > from.counts[i];
    }
  }

  void spin(const std::string& what, std::size_t counters) {
    begin(what);
    expect_all_resume({0, std::vector<unsigned long long>(counters)});
    for (int round = 1; round <= 5 && !HasFailure(); ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      set_epoch(round);
      const Look before = look();
      ASSERT_OK_AND_ASSIGN(CheckpointInfo taken, wp_->checkpoint(branch_));
      expect_all_resume(before);
      set_epoch(-round);
      ASSERT_OK(wp_->restore(branch_, taken.id));
      const Look back = look();
      EXPECT_EQ(back.epoch, round);
      expect_reached(back, before);
      expect_all_resume(back);
    }
  }
};

TEST_F(BusyTest, SixteenSpinningThreadsContinueFromTheirCounts) { spin("threads 16", 16); }

TEST_F(BusyTest, SixteenSpinningProcessesContinueFromTheirCounts) { spin("processes 16", 16); }

TEST_F(BusyTest, ConstantForksExecsThreadsAndMappingsSurviveEverySnapshot) {
  const char* wanted = std::getenv("SF_SNAPSHOTS");
  const int snapshots = wanted != nullptr ? std::atoi(wanted) : 50;
  begin("storm");
  expect_all_resume({0, std::vector<unsigned long long>(5)});
  std::map<std::string, int> declined;
  microseconds longest{0};
  int taken_count = 0;
  for (int i = 0; i < snapshots && !HasFailure(); ++i) {
    SCOPED_TRACE("snapshot " + std::to_string(i));
    set_epoch(i);
    const Look before = look();
    Stopwatch watch;
    auto taken = wp_->checkpoint(branch_);
    longest = std::max(longest, watch.elapsed());
    if (!taken) {
      ASSERT_EQ(taken.error().code, ErrorCode::kUnsupported) << taken.error().describe();
      EXPECT_THAT(taken.error().message, HasSubstr("process ")) << taken.error().describe();
      EXPECT_FALSE(taken.error().hint.empty()) << taken.error().describe();
      ++declined[taken.error().message];
      expect_all_resume(before);
      continue;
    }
    ++taken_count;
    set_epoch(-1);
    ASSERT_OK(wp_->restore(branch_, taken->id));
    ASSERT_OK(wp_->remove(taken->id));
    const Look back = look();
    EXPECT_EQ(back.epoch, i);
    expect_reached(back, before);
    expect_all_resume(back);
  }
  std::printf("%d of %d snapshots, longest %.1f ms\n", taken_count, snapshots,
              static_cast<double>(longest.count()) / 1e3);
  for (const auto& [why, times] : declined) std::printf("%d times: %s\n", times, why.c_str());
  EXPECT_GE(taken_count, snapshots / 2);
}

TEST_F(BusyTest, VforkParentIsNamedInTheErrorAndUnharmed) {
  begin("vfork");
  set_epoch(1);
  for (int i = 0; i < 3; ++i) {
    Stopwatch watch;
    auto taken = wp_->checkpoint(branch_);
    ASSERT_FALSE(taken.ok());
    EXPECT_EQ(taken.error().code, ErrorCode::kUnsupported) << taken.error().describe();
    EXPECT_THAT(taken.error().message, HasSubstr("(busy-tree), an uninterruptible wait"));
    EXPECT_LT(watch.elapsed(), seconds(10));
    EXPECT_EQ(ask("look"), "ok 1 0\n");
  }
  run("touch /tmp/gate");
  expect_all_resume({1, {0}});
  ASSERT_OK_AND_ASSIGN(CheckpointInfo taken, wp_->checkpoint(branch_));
  set_epoch(2);
  ASSERT_OK(wp_->restore(branch_, taken.id));
  EXPECT_EQ(ask("look"), "ok 1 1\n");
}

}  // namespace
}  // namespace sf::waypoint
