// Faults of prerestored trees: while a tree is made, while it waits, while it resumes. The branch
// and its checkpoints are not affected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <future>
#include <set>
#include <string>
#include <tuple>

#include "driver_process.h"
#include "heavy_branch.h"
#include "process_search.h"
#include "testing/matchers.h"
#include "waypoint/fault_plan.h"

namespace sf::faults {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using waypoint::CheckpointId;

constexpr auto kTimeout = seconds(20);
constexpr auto kDriverTime = seconds(60);

// A store with one branch and one checkpoint: the word was "old" at the checkpoint and is "new"
// now.
class PrerestoreTest : public HeavyBranchTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(begin("old"));
    ASSERT_OK(put_word(manager(), branch_, "new"));
  }

  std::set<pid_t> branch_keeper() { return {manager().branches().at(0).keeper_pid}; }
  // Keepers with a prerestored tree, complete or in progress.
  std::set<pid_t> standing() {
    std::set<pid_t> all = keepers_of(store_.path());
    const std::set<pid_t> live = branch_keeper();
    std::erase_if(all, [&](pid_t pid) { return live.contains(pid) || !init_of(pid); });
    return all;
  }
  // Waits until exactly one is left; ending keepers may still exist.
  std::set<pid_t> only_standing() {
    manager().settle();
    std::set<pid_t> seen;
    EXPECT_TRUE(
        becomes_true([&] { return (seen = standing()).size() == 1; }, Deadline::after(kTimeout)));
    return seen;
  }
  void expect_no_keeper_but(const std::set<pid_t>& wanted) {
    EXPECT_TRUE(becomes_true([&] { return keepers_of(store_.path()) == wanted; },
                             Deadline::after(kTimeout)));
  }
  void expect_word(const std::string& expected) {
    ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager(), branch_));
    EXPECT_EQ(word, expected);
  }
  void go_back() {
    ASSERT_OK(put_word(manager(), branch_, "newer"));
    ASSERT_OK(manager().restore(branch_, first_));
    expect_word("old");
  }
};

enum class Fault { kStepFails, kKeeperDies };

class FaultPointPrerestoreTest
    : public PrerestoreTest,
      public ::testing::WithParamInterface<std::tuple<std::string_view, Fault>> {
 protected:
  static waypoint::FaultPlan plan() {
    auto [point, fault] = GetParam();
    waypoint::FaultPlan plan{.prerestore = true};
    (fault == Fault::kStepFails ? plan.fail_at : plan.die_at) = point;
    return plan;
  }
};

std::string test_name(const ::testing::TestParamInfo<std::tuple<std::string_view, Fault>>& info) {
  std::string name(std::get<0>(info.param));
  std::ranges::replace(name, '.', '_');
  return name + (std::get<1>(info.param) == Fault::kStepFails ? "_fails" : "_dies");
}

using WhileItIsMadeTest = FaultPointPrerestoreTest;

TEST_P(WhileItIsMadeTest, NoTreeIsReadyAndARestoreMakesItsOwn) {
  ASSERT_OK(store_.open(plan()));
  go_back();
  manager().settle();
  EXPECT_THAT(manager().ready(), IsEmpty());
  EXPECT_TRUE(becomes_true([&] { return standing().empty(); }, Deadline::after(kTimeout)));
  expect_word("old");
  go_back();
  expect_checkpoints();
}

INSTANTIATE_TEST_SUITE_P(
    EveryPoint, WhileItIsMadeTest,
    ::testing::Combine(::testing::Values("restore.before_files", "restore.before_processes",
                                         "restore.native_planned", "restore.native_born",
                                         "restore.native_made", "restore.native_taking",
                                         "restore.native_taken"),
                       ::testing::Values(Fault::kStepFails, Fault::kKeeperDies)),
    test_name);

using WhenItGoesOnTest = FaultPointPrerestoreTest;

TEST_P(WhenItGoesOnTest, RestoreMakesAnotherTree) {
  ASSERT_OK(store_.open(plan()));
  go_back();
  const std::set<pid_t> stood = only_standing();
  EXPECT_THAT(manager().ready(), ElementsAre(first_));
  go_back();
  EXPECT_NE(branch_keeper(), stood);
  expect_checkpoints();
}

INSTANTIATE_TEST_SUITE_P(
    EveryPoint, WhenItGoesOnTest,
    ::testing::Combine(::testing::Values("restore.native_released", "restore.after_processes"),
                       ::testing::Values(Fault::kStepFails, Fault::kKeeperDies)),
    test_name);

// Control test: without a fault the restore uses the prerestored tree, so the tests above do test
// something.
TEST_F(PrerestoreTest, WithoutAFaultThePrerestoredTreeBecomesTheBranch) {
  const std::set<pid_t> stood = only_standing();
  go_back();
  EXPECT_EQ(branch_keeper(), stood);
  expect_checkpoints();
}

TEST_F(PrerestoreTest, KilledKeeperOfAPrerestoredTreeIsReplaced) {
  const std::set<pid_t> stood = only_standing();
  for (pid_t keeper : stood) ASSERT_EQ(::kill(keeper, SIGKILL), 0);
  expect_word("new");
  go_back();
  EXPECT_NE(branch_keeper(), stood);
  expect_checkpoints();
}

TEST_F(PrerestoreTest, KeeperKilledWhileItsTreeResumesIsReplacedOrTheLossIsReported) {
  manager().settle();
  Stopwatch watch;
  ASSERT_OK(manager().restore(branch_, first_));
  const auto longest = static_cast<unsigned long>(watch.elapsed().count());
  unsigned lost = 0;
  unsigned replaced = 0;
  for (unsigned round = 0; round < rounds_ && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_OK(put_word(manager(), branch_, "newer"));
    const std::set<pid_t> doomed = only_standing();
    ASSERT_EQ(doomed.size(), 1U);
    auto kill_it = [&] { ASSERT_EQ(::kill(*doomed.begin(), SIGKILL), 0); };
    if (round == 0) kill_it();  // certainly before the restore
    auto call = std::async(std::launch::async, [&] { return manager().restore(branch_, first_); });
    if (round == 1) call.wait();  // certainly after the restore
    const Deadline moment = Deadline::after(microseconds(random_() % (2 * longest)));
    while (!moment.passed()) continue;  // the time is only a few ms, so spin
    if (round != 0) kill_it();
    ASSERT_EQ(call.wait_for(kTimeout), std::future_status::ready) << "the call hangs";
    ASSERT_OK(call.get());
    auto word = word_in(manager(), branch_);
    (word ? replaced : lost) += 1;
    if (!word) {
      EXPECT_EQ(word.error().code, ErrorCode::kSessionLost) << word.error().describe();
      EXPECT_TRUE(becomes_true([&] { return !manager().branches().at(0).alive; },
                               Deadline::after(kTimeout)));
      ASSERT_OK(manager().restore(branch_, first_));
    }
    expect_word("old");
  }
  EXPECT_GT(replaced, 0U) << "no kill met a waiting tree";
  EXPECT_GT(lost, 0U) << "no kill met a tree that had resumed";
  expect_checkpoints();
}

class KilledManagerTest : public PrerestoreTest {
 protected:
  void SetUp() override {
    PrerestoreTest::SetUp();
    keeper_ = branch_keeper();
    store_.close();
  }
  // Returns after the driver has taken a checkpoint with the word "new".
  Result<DriverProcess> start_driver(const std::string& die_at) {
    SF_TRY_ASSIGN(DriverProcess driver,
                  DriverProcess::start({store_.path(), die_at, "ahead", branch_.value()}));
    SF_TRY_ASSIGN(auto line, driver.read_line(Deadline::after(kDriverTime)));
    if (!line) return fail(ErrorCode::kOs, "the driver printed nothing");
    taken_ = CheckpointId(*line);
    known_[taken_] = "new";
    return driver;
  }
  static void expect_killed(DriverProcess driver) {
    ASSERT_OK_AND_ASSIGN(os::ExitStatus status, driver.wait(Deadline::after(kDriverTime)));
    EXPECT_EQ(status.text(), (os::ExitStatus{.signaled = true, .code = 9}).text());
  }
  // Opens the store as the next manager.
  void expect_branch(const std::string& word) {
    ASSERT_OK(store_.open());
    ASSERT_EQ(manager().branches().size(), 1U);
    EXPECT_EQ(manager().branches()[0].head, taken_);
    expect_no_keeper_but(branch_keeper());
    expect_word(word);
  }

  // Waits for the prerestored tree; then the driver restores it and dies at `point`.
  void go_back_and_die_at(const std::string& point) {
    ASSERT_OK_AND_ASSIGN(DriverProcess driver, start_driver(point));
    driver.end_input();
    ASSERT_OK_AND_ASSIGN(auto said, driver.read_all(Deadline::after(kDriverTime)));
    EXPECT_THAT(said, ElementsAre("ready " + taken_.value()));
    expect_killed(std::move(driver));
    expect_branch("new");
  }

  std::set<pid_t> keeper_;  // of the branch, before the kill
  CheckpointId taken_;
};

TEST_F(KilledManagerTest, PrerestoredTreeEndsWithItsManager) {
  ASSERT_OK_AND_ASSIGN(DriverProcess driver, start_driver("none"));
  ASSERT_OK_AND_ASSIGN(auto line, driver.read_line(Deadline::after(kDriverTime)));
  EXPECT_EQ(line, "ready " + taken_.value());
  EXPECT_GT(keepers_of(store_.path()).size(), 1U);
  ASSERT_OK(driver.kill());
  expect_killed(std::move(driver));
  expect_no_keeper_but(keeper_);  // without another manager
  expect_branch("new");
  EXPECT_EQ(branch_keeper(), keeper_);
  go_back();
  expect_checkpoints();
}

TEST_F(KilledManagerTest, TreeBeingPrerestoredEndsWithItsManager) {
  unsigned early = 0;
  for (unsigned round = 0; round < rounds_ && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_OK_AND_ASSIGN(DriverProcess driver, start_driver("none"));
    becomes_true([] { return false; }, Deadline::after(microseconds(random_() % 100'000)));
    ASSERT_OK(driver.kill());
    ASSERT_OK_AND_ASSIGN(auto said, driver.read_all(Deadline::after(kDriverTime)));
    early += said.empty() ? 1 : 0;
    expect_killed(std::move(driver));
    expect_branch("new");
    EXPECT_EQ(branch_keeper(), keeper_);
    store_.close();
  }
  EXPECT_GT(early, 0U) << "no kill met a tree that was being made";
  ASSERT_OK(store_.open());
  expect_checkpoints();
}

TEST_F(KilledManagerTest, DeathBeforeTheBranchRecordLeavesTheOldTree) {
  ASSERT_NO_FATAL_FAILURE(go_back_and_die_at("restore.before_swap"));
  EXPECT_EQ(branch_keeper(), keeper_);
  go_back();
  expect_checkpoints();
}

TEST_F(KilledManagerTest, DeathAfterTheBranchRecordLeavesThePrerestoredTree) {
  ASSERT_NO_FATAL_FAILURE(go_back_and_die_at("restore.after_swap"));
  EXPECT_NE(branch_keeper(), keeper_);
  go_back();
  expect_checkpoints();
}

}  // namespace
}  // namespace sf::faults
