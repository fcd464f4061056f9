// SIGKILL to a keeper at any moment of the native engine's work. The points of FaultPlan do not
// cover the moments at which the new processes work independently of the keeper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <optional>
#include <set>
#include <string>

#include "heavy_branch.h"
#include "os/process.h"
#include "process_search.h"
#include "testing/matchers.h"

namespace sf::faults {
namespace {

using waypoint::CheckpointId;
using waypoint::CheckpointInfo;

constexpr auto kTimeout = seconds(20);

class NativeKillTest : public HeavyBranchTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(begin("first"));
    ASSERT_OK(manager().restore(branch_, first_));
  }

  std::optional<pid_t> keeper() {
    for (const waypoint::BranchInfo& info : manager().branches())
      if (info.id == branch_ && info.alive) return info.keeper_pid;
    return std::nullopt;
  }
  // Waits for a random time, at most 5/4 of `longest`.
  void wait_up_to(microseconds longest) {
    auto most = static_cast<unsigned long>(longest.count()) * 5 / 4;
    ASSERT_FALSE(
        becomes_true([] { return false; }, Deadline::after(microseconds(random_() % most))));
  }
  template <typename T>
  static T answer_of(std::future<T>& call) {
    EXPECT_EQ(call.wait_for(kTimeout), std::future_status::ready) << "the call hangs";
    return call.get();
  }

  // The branch has this word, or is reported as lost; a lost branch is restored from a checkpoint.
  void expect_word_or_loss(const std::string& expected, bool may_be_lost) {
    auto word = word_in(manager(), branch_);
    if (word) {
      EXPECT_EQ(*word, expected);
      return;
    }
    EXPECT_TRUE(may_be_lost) << word.error().describe();
    EXPECT_EQ(word.error().code, ErrorCode::kSessionLost) << word.error().describe();
    auto any = std::next(known_.begin(), static_cast<long>(random_() % known_.size()));
    ASSERT_OK(manager().restore(branch_, any->first));
    ASSERT_OK_AND_ASSIGN(std::string back, word_in(manager(), branch_));
    EXPECT_EQ(back, any->second);
  }
};

TEST_F(NativeKillTest, KeeperKilledDuringACaptureLosesAtMostItsBranch) {
  unsigned lost = 0;
  for (unsigned round = 0; round < rounds_ && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::string word = "word" + std::to_string(round);
    ASSERT_OK(put_word(manager(), branch_, word));
    auto doomed = keeper();
    ASSERT_TRUE(doomed.has_value());
    auto call = std::async(std::launch::async, [&] { return manager().checkpoint(branch_); });
    wait_up_to(first_took_);
    ASSERT_EQ(::kill(*doomed, SIGKILL), 0);
    Result<CheckpointInfo> taken = answer_of(call);
    if (taken) {
      known_[taken->id] = word;
    } else {
      ++lost;
      EXPECT_EQ(taken.error().code, ErrorCode::kSessionLost) << taken.error().describe();
      EXPECT_FALSE(taken.error().hint.empty()) << taken.error().describe();
    }
    expect_word_or_loss(word, true);
  }
  EXPECT_GT(lost, 0U) << "no kill met a capture";
  expect_checkpoints();
}

TEST_F(NativeKillTest, KeepersKilledDuringARestoreAreReplacedOrTheLossIsReported) {
  const CheckpointId checkpoint = known_.begin()->first;
  const std::string old_word = known_.begin()->second;
  Stopwatch watch;
  ASSERT_OK(manager().restore(branch_, checkpoint));
  const auto longest = watch.elapsed();
  unsigned replaced = 0;
  for (unsigned round = 0; round < rounds_ && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::string word = "word" + std::to_string(round);
    ASSERT_OK(put_word(manager(), branch_, word));
    std::set<pid_t> doomed;  // one of these will own the new tree
    ASSERT_TRUE(becomes_true([&] { return !(doomed = spare_keepers(store_.path())).empty(); },
                             Deadline::after(kTimeout)));
    auto call =
        std::async(std::launch::async, [&] { return manager().restore(branch_, checkpoint); });
    wait_up_to(longest);
    for (pid_t spare : doomed) ::kill(spare, SIGKILL);
    Status restored = answer_of(call);
    if (restored) {
      replaced += word_in(manager(), branch_) ? 1 : 0;
      expect_word_or_loss(old_word, true);
      continue;
    }
    EXPECT_EQ(restored.error().code, ErrorCode::kSessionLost) << restored.error().describe();
    expect_word_or_loss(word, false);
  }
  EXPECT_GT(replaced, 0U) << "no kill met a restore";
  expect_checkpoints();
}

TEST_F(NativeKillTest, InitKilledDuringARestoreLeavesTheOldTreeOrTheLossIsReported) {
  const CheckpointId checkpoint = known_.begin()->first;
  const std::string old_word = known_.begin()->second;
  Stopwatch watch;
  ASSERT_OK(manager().restore(branch_, checkpoint));
  const auto longest = watch.elapsed();
  for (unsigned round = 0; round < rounds_ && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::string word = "word" + std::to_string(round);
    ASSERT_OK(put_word(manager(), branch_, word));
    std::set<pid_t> spares;  // one of these will own the new tree
    ASSERT_TRUE(becomes_true([&] { return !(spares = spare_keepers(store_.path())).empty(); },
                             Deadline::after(kTimeout)));
    auto call =
        std::async(std::launch::async, [&] { return manager().restore(branch_, checkpoint); });
    std::optional<pid_t> doomed;
    EXPECT_TRUE(becomes_true(
        [&] {
          for (pid_t spare : spares)
            if (!doomed) doomed = init_of(spare);
          return doomed || call.wait_for(seconds(0)) == std::future_status::ready;
        },
        Deadline::after(kTimeout)));
    wait_up_to(longest / 2);
    if (doomed) ::kill(*doomed, SIGKILL);
    Status restored = answer_of(call);
    expect_word_or_loss(restored ? old_word : word, restored.ok());
  }
  expect_checkpoints();
}

// A thread-group leader can be waited for only after its other threads.
TEST_F(NativeKillTest, ThreadedProcessKilledDuringACaptureIsReaped) {
  const CheckpointId checkpoint = known_.begin()->first;
  for (unsigned round = 0; round < rounds_ && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_OK(manager().restore(branch_, checkpoint));
    ASSERT_OK_AND_ASSIGN(waypoint::BranchPids pids, manager().pids(branch_));
    pid_t doomed = 0;
    for (pid_t pid : os::process_tree(pids.init))
      if (os::process_name(pid) == "python3") doomed = pid;
    ASSERT_GT(doomed, 1);
    auto call = std::async(std::launch::async, [&] { return manager().checkpoint(branch_); });
    wait_up_to(first_took_);
    ASSERT_EQ(::kill(doomed, SIGKILL), 0);
    Result<CheckpointInfo> taken = answer_of(call);
    auto waited = manager().exec(branch_, {.command = "wait $HEAVY; echo $?",
                                           .timeout = duration_cast<milliseconds>(kTimeout)});
    ASSERT_OK(waited);
    EXPECT_THAT(waited->output, ::testing::EndsWith("137\n"));  // the shell may print a message
    if (!taken) continue;                                       // the kill met the capture
    ASSERT_OK(manager().restore(branch_, taken->id));
    ASSERT_OK(manager().remove(taken->id));
  }
  expect_checkpoints();
}

}  // namespace
}  // namespace sf::faults
