// A fault at every point of FaultPlan: the step fails, or the process that executes it dies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "branch_state.h"
#include "driver_process.h"
#include "fault_store.h"
#include "testing/matchers.h"
#include "waypoint/fault_plan.h"

namespace sf::faults {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using waypoint::BranchId;
using waypoint::CheckpointId;
using waypoint::CheckpointInfo;
using waypoint::Waypoint;

constexpr auto kDriverTime = seconds(60);

// A store with one branch and one checkpoint: the word was "old" at the checkpoint and is "new"
// now.
class FaultPointTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    ASSERT_OK(store_.open());
    ASSERT_OK_AND_ASSIGN(branch_, manager().start({.engine = engine()}));
    if (engine() == waypoint::EngineChoice::kNative) {
      ASSERT_OK(start_heavy(manager(), branch_));
    }
    ASSERT_OK(put_word(manager(), branch_, "old"));
    ASSERT_OK_AND_ASSIGN(CheckpointInfo info, manager().checkpoint(branch_));
    checkpoint_ = info.id;
    ASSERT_OK(put_word(manager(), branch_, "new"));
    store_.close();
  }

  Waypoint& manager() { return store_.manager(); }
  static std::string point() { return std::string(GetParam()); }
  static std::string operation() { return point().substr(0, point().find('.')); }

  // Points named "native_" need the native engine; SF_ENGINE selects the engine for the others.
  static waypoint::EngineChoice engine() {
    const char* wanted = std::getenv("SF_ENGINE");
    auto choice = waypoint::engine_choice_from(wanted == nullptr ? "" : wanted);
    if (point().find(".native_") != std::string::npos) return waypoint::EngineChoice::kNative;
    return choice.value_or(waypoint::BranchConfig{}.engine);
  }

  Status run_operation() {
    if (operation() == "start") {
      SF_TRY(manager().start({}));
      return Ok{};
    }
    if (operation() == "restore") return manager().restore(branch_, checkpoint_);
    SF_TRY(manager().checkpoint(branch_));
    return Ok{};
  }

  void expect_word(const std::string& expected) {
    ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager(), branch_));
    EXPECT_EQ(word, expected);
  }

  // The checkpoint from before the fault, and the new one if the fault came after its publication.
  void expect_checkpoints(bool published) {
    std::set<CheckpointId> all;
    for (const CheckpointInfo& info : manager().checkpoints()) {
      all.insert(info.id);
      ASSERT_OK_AND_ASSIGN(std::string word, word_at(manager(), info.id));
      EXPECT_EQ(word, info.id == checkpoint_ ? "old" : "new");
    }
    EXPECT_TRUE(all.contains(checkpoint_));
    EXPECT_EQ(all.size(), published ? 2U : 1U);
    store_.expect_nothing_left_but(all);
  }

  FaultStore store_;
  BranchId branch_;
  CheckpointId checkpoint_;
};

std::string test_name(const ::testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::ranges::replace(name, '.', '_');
  return name;
}

using FailingStepTest = FaultPointTest;

TEST_P(FailingStepTest, NamesThePointAndLeavesTheBranchAndItsCheckpointsUnharmed) {
  ASSERT_OK(store_.open({.fail_at = point()}));
  Status done = run_operation();
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr(point()));

  // After the swap the branch is restored, although the call returns an error.
  const std::string now = point() == "restore.after_swap" ? "old" : "new";
  expect_word(now);
  EXPECT_EQ(manager().branches().size(), 1U);
  ASSERT_OK(store_.open());
  expect_word(now);
  ASSERT_OK(put_word(manager(), branch_, "newer"));
  ASSERT_OK(manager().restore(branch_, checkpoint_));
  expect_word("old");
  expect_checkpoints(point() == "checkpoint.after_publish");
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, FailingStepTest, ::testing::ValuesIn(waypoint::kFaultPoints),
                         test_name);

using DyingProcessTest = FaultPointTest;

TEST_P(DyingProcessTest, AcknowledgedStateSurvives) {
  const std::set<std::string> in_manager = {"checkpoint.begin", "checkpoint.before_publish",
                                            "checkpoint.after_publish", "restore.before_swap",
                                            "restore.after_swap"};
  std::vector<std::string> arguments = {store_.path(), point(), operation()};
  if (operation() != "start") arguments.push_back(branch_.value());
  if (operation() == "restore") arguments.push_back(checkpoint_.value());
  ASSERT_OK_AND_ASSIGN(DriverRun driver, run_driver(arguments, Deadline::after(kDriverTime)));
  if (in_manager.contains(point())) {
    EXPECT_EQ(driver.status.text(), (os::ExitStatus{.signaled = true, .code = 9}).text());
    EXPECT_THAT(driver.said, IsEmpty());
  } else {
    EXPECT_THAT(driver.said, ElementsAre(StartsWith("failed session_lost")));
  }

  ASSERT_OK(store_.open());
  if (!in_manager.contains(point()) && operation() == "checkpoint") {
    EXPECT_TRUE(manager().branches().empty()) << "the branch ended with its keeper";
  } else {
    ASSERT_EQ(manager().branches().size(), 1U);
    EXPECT_EQ(manager().branches()[0].head, checkpoint_);
    expect_word(point() == "restore.after_swap" ? "old" : "new");
  }
  expect_checkpoints(point() == "checkpoint.after_publish");
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, DyingProcessTest, ::testing::ValuesIn(waypoint::kFaultPoints),
                         test_name);

using FailingForkTest = FaultPointTest;

TEST_P(FailingForkTest, EveryFailedForkIsReported) {
  ASSERT_OK(store_.open({.fail_at = point()}));
  auto forks = manager().fork(checkpoint_, 3);
  ASSERT_EQ(forks.size(), 3U);
  for (const auto& fork : forks) {
    ASSERT_FALSE(fork.ok());
    EXPECT_THAT(fork.error().message, HasSubstr(point()));
  }
  EXPECT_EQ(manager().branches().size(), 1U);
  expect_word("new");
  ASSERT_OK(store_.open());
  expect_checkpoints(false);
}

constexpr std::string_view kForkPoints[] = {"restore.before_files",    "restore.before_processes",
                                            "restore.native_planned",  "restore.native_born",
                                            "restore.native_made",     "restore.native_taking",
                                            "restore.native_taken",    "restore.native_released",
                                            "restore.after_processes", "restore.before_swap"};

INSTANTIATE_TEST_SUITE_P(EveryPointOfAFork, FailingForkTest, ::testing::ValuesIn(kForkPoints),
                         test_name);

using DyingForkTest = FaultPointTest;

TEST_P(DyingForkTest, BranchAndCheckpointSurviveAndNoForkIsLeft) {
  ASSERT_OK_AND_ASSIGN(DriverRun driver,
                       run_driver({store_.path(), point(), "fork", checkpoint_.value(), "3"},
                                  Deadline::after(kDriverTime)));
  if (point() == "restore.before_swap") {  // the manager dies, not the new keepers
    EXPECT_EQ(driver.status.text(), (os::ExitStatus{.signaled = true, .code = 9}).text());
    EXPECT_THAT(driver.said, IsEmpty());
  } else {
    EXPECT_THAT(driver.said, AllOf(SizeIs(3), Each(StartsWith("failed session_lost"))));
  }
  ASSERT_OK(store_.open());
  EXPECT_EQ(manager().branches().size(), 1U);
  expect_word("new");
  expect_checkpoints(false);
}

INSTANTIATE_TEST_SUITE_P(EveryPointOfAFork, DyingForkTest, ::testing::ValuesIn(kForkPoints),
                         test_name);

}  // namespace
}  // namespace sf::faults
