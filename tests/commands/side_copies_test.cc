// Side commands that run when a checkpoint is taken continue in the branch, in restored branches
// and in forks, with any amount of output.
#include <future>
#include <thread>

#include "fixture.h"

namespace sf::waypoint {
namespace {

constexpr seconds kTimeout{60};
constexpr std::size_t kMostOutput = 4U << 20U;

class SideCopiesTest : public CommandsTest, public ::testing::WithParamInterface<EngineChoice> {
 protected:
  void SetUp() override {
    CommandsTest::SetUp();
    BranchConfig config;
    config.engine = GetParam();
    branch_ = start(config);
    run("mkfifo /step /step2; ls /proc/1/fd >/descriptors");
  }

  void TearDown() override {
    if (wp_) wp_->end_all();  // a running command would block its caller
    CommandsTest::TearDown();
  }

  // Starts `script`, which runs until it waits for the first step.
  std::future<Result<SideObservation>> begin(const std::string& script, std::string input = "") {
    auto running = std::async(std::launch::async, [this, script, input = std::move(input)] {
      return wp_->side_exec(branch_, {.argv = {"sh", "-c", script},
                                      .input = input,
                                      .timeout = kTimeout,
                                      .max_output = kMostOutput});
    });
    expect_soon(branch_, "test -e /ready");
    return running;
  }

  CheckpointId take(const BranchId& branch) {
    auto info = wp_->checkpoint(branch);
    EXPECT_OK(info);
    return info ? info->id : CheckpointId();
  }

  BranchId fork(const CheckpointId& checkpoint) {
    auto forks = wp_->fork(checkpoint, 1);
    EXPECT_OK(forks.front());
    return forks.front() ? *forks.front() : BranchId();
  }

  std::string output_in(const BranchId& branch, const std::string& command) {
    auto seen = wp_->exec(branch, {.command = command, .timeout = kTimeout});
    EXPECT_OK(seen);
    return seen ? seen->output : "";
  }

  void expect_soon(const BranchId& branch, const std::string& condition) {
    for (Deadline patience = Deadline::after(kTimeout);;) {
      auto seen = wp_->exec(branch, {.command = condition});
      ASSERT_OK(seen);
      if (seen->exit_code == 0) return;
      ASSERT_FALSE(patience.passed()) << "not true within a minute: " << condition;
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

  // Expects that init holds no more descriptors than before the first command.
  void expect_swept(const BranchId& branch) {
    expect_soon(branch, "ls /proc/1/fd | cmp -s - /descriptors");
  }
};

// More than the 64 KB that a pipe holds.
const char* const kPrintsMuch =
    "echo before; touch /ready; read x </step; head -c 1048576 /dev/zero; "
    "head -c 300000 /dev/zero >&2; echo after; echo $x >/result; read y </step2; "
    "head -c 200000 /dev/zero; echo $y >/end";

void expect_whole(const Result<SideObservation>& result) {
  ASSERT_OK(result);
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_EQ(result->standard_output.size(), 7U + 1048576U + 6U + 200000U);
  EXPECT_TRUE(result->standard_output.starts_with("before\n"));
  EXPECT_EQ(result->standard_error.size(), 300000U);
}

TEST_P(SideCopiesTest, CommandWithLargeOutputContinuesInForksAndInTheBranch) {
  auto running = begin(kPrintsMuch);
  const CheckpointId here = take(branch_);
  for (int i = 0; i < 2; ++i) {
    const BranchId copy = fork(here);
    const std::string name = "copy" + std::to_string(i);
    output_in(copy, "echo " + name + " >/step");
    expect_soon(copy, "test -s /result");
    output_in(copy, "echo end >/step2");
    expect_soon(copy, "test -s /end");
    EXPECT_EQ(output_in(copy, "cat /result /end"), name + "\nend\n");
    expect_swept(copy);
  }
  EXPECT_EQ(run("test -e /result").exit_code, 1) << "the copies are apart";
  run("echo original >/step");
  expect_soon(branch_, "test -s /result");
  run("echo end >/step2");
  expect_whole(running.get());
  EXPECT_EQ(output("cat /result /end"), "original\nend\n");
  expect_swept(branch_);
}

TEST_P(SideCopiesTest, CommandContinuesAfterARestoreAndInCopiesOfTheCopy) {
  auto running = begin(kPrintsMuch);
  const CheckpointId here = take(branch_);
  ASSERT_OK(wp_->restore(branch_, here));
  EXPECT_FALSE(running.get().ok()) << "the caller waited for the replaced tree";
  run("echo restored >/step");
  expect_soon(branch_, "test -s /result");
  const CheckpointId later = take(branch_);
  ASSERT_OK(wp_->restore(branch_, later));
  const BranchId copy = fork(later);
  for (const BranchId& each : {branch_, copy}) {
    output_in(each, "echo end >/step2");
    expect_soon(each, "test -s /end");
    EXPECT_EQ(output_in(each, "cat /result /end"), "restored\nend\n");
    expect_swept(each);
  }
}

TEST_P(SideCopiesTest, CommandThatPrintsWithoutPauseContinues) {
  auto running =
      begin("i=0; touch /ready; while :; do i=$((i+1)); echo $i $i $i; echo $i >/count; done");
  const BranchId copy = fork(take(branch_));
  for (const BranchId& each : {copy, branch_})
    expect_soon(each,
                "read -r a </count; b=$a; while [ \"$b\" = \"$a\" ]; do read -r b </count; done");
  ASSERT_OK(wp_->exec(branch_, {.command = "pkill -f /count"}));
  ASSERT_OK_AND_ASSIGN(SideObservation ended, running.get());
  EXPECT_EQ(ended.exit_code, 143);
  EXPECT_TRUE(ended.standard_output.starts_with("1 1 1\n"));
}

TEST_P(SideCopiesTest, InputEndsInTheCopies) {
  auto running = begin("touch /ready; read x </step; cat >/input; wc -c </input; touch /end",
                       std::string(10'000, 'i'));
  const BranchId copy = fork(take(branch_));
  for (const BranchId& each : {copy, branch_}) {
    output_in(each, "echo >/step");
    expect_soon(each, "test -e /end");
    EXPECT_EQ(output_in(each, "wc -c </input"), "10000\n");
  }
  ASSERT_OK_AND_ASSIGN(SideObservation ended, running.get());
  EXPECT_EQ(ended.standard_output, "10000\n");
}

// In the branch, a process that outlives its command has no reader for its output.
TEST_P(SideCopiesTest, LeftProcessLosesItsReaderInTheBranchAndInCopies) {
  auto running = begin(
      "(read y </step2; echo late; touch /late) & echo $! >/left; touch /ready; read x </step");
  const BranchId copy = fork(take(branch_));
  for (const BranchId& each : {copy, branch_}) {
    output_in(each, "echo >/step");
    expect_swept(each);
    output_in(each, "echo >/step2");
    expect_soon(each, "! [ -e /proc/$(</left) ]");
    EXPECT_EQ(output_in(each, "ls /late 2>&1 | grep -c /late$"), "0\n");
  }
  EXPECT_OK(running.get());
}

// A checkpoint may meet a command at any moment of its start: the copy has all of it or nothing.
TEST_P(SideCopiesTest, CommandBeingStartedEndsInCopies) {
  const int rounds = GetParam() == EngineChoice::kCriu ? 5 : 20;
  for (int round = 0; round < rounds; ++round) {
    auto running = std::async(std::launch::async, [&] {
      return wp_->side_exec(branch_, {.argv = {"sh", "-c", "cat; echo mark-of-it; echo x >>/ran"},
                                      .input = "input\n",
                                      .timeout = kTimeout});
    });
    std::this_thread::sleep_for(microseconds(300 * round));  // a different moment in each round
    const BranchId copy = fork(take(branch_));
    auto next = wp_->side_exec(copy, {.argv = {"echo", "mine"}, .timeout = kTimeout});
    ASSERT_OK(next);
    EXPECT_EQ(next->standard_output, "mine\n");
    expect_soon(copy, "! pgrep -f mark-of-i[t]");
    expect_swept(copy);
    ASSERT_OK(wp_->end(copy));
    ASSERT_OK_AND_ASSIGN(SideObservation ended, running.get());
    EXPECT_EQ(ended.standard_output, "input\nmark-of-it\n");
  }
  EXPECT_EQ(output("wc -l </ran"), std::to_string(rounds) + "\n");
}

INSTANTIATE_TEST_SUITE_P(Engines, SideCopiesTest,
                         ::testing::Values(EngineChoice::kNative, EngineChoice::kCriu),
                         [](const auto& engine) {
                           return engine.param == EngineChoice::kCriu ? "Criu" : "Native";
                         });

}  // namespace
}  // namespace sf::waypoint
