// A program that outlives the first process of its pipeline keeps the terminal: in the live branch,
// in a restored branch and in a fork.
#include "fixture.h"
#include "screen_wait.h"

namespace sf::waypoint {
namespace {

class PipelineTest : public CommandsTest, public ::testing::WithParamInterface<EngineChoice> {
 protected:
  void begin(const std::string& keys, const std::string& shown) {
    branch_ = start({.engine = GetParam()});
    ASSERT_OK(wp_->send_keys(branch_, keys));
    ASSERT_NO_FATAL_FAILURE(expect_on_screen(*wp_, branch_, shown));
    // Wait until the writer has ended and the shell has reaped it.
    auto gone = wp_->side_exec(
        branch_, {.argv = {"sh", "-c", "while pgrep -x seq >/dev/null; do sleep 0.01; done"}});
    ASSERT_OK(gone);
  }

  void expect_less_reacts(const BranchId& branch, const char* where) {
    SCOPED_TRACE(where);
    ASSERT_OK(wp_->send_keys(branch, "G"));
    ASSERT_NO_FATAL_FAILURE(expect_on_screen(*wp_, branch, "\n500\n"));
    ASSERT_OK(wp_->send_keys(branch, "g"));
    ASSERT_NO_FATAL_FAILURE(expect_on_screen(*wp_, branch, "1\n2\n3\n"));
    ASSERT_OK(wp_->send_keys(branch, "q"));
    auto after = wp_->exec(branch, {.command = "jobs; echo fine"});
    ASSERT_OK(after);
    EXPECT_EQ(after->output, "fine\n");
  }
};

// Only the native engine supports it. CRIU declines with a reason and the program continues.
TEST_P(PipelineTest, ProgramBehindAnEndedWriterIsCapturedOrNamedInTheError) {
  branch_ = start({.engine = GetParam()});
  ASSERT_OK(wp_->send_keys(branch_, "true | python3 -c 'input(\"wait\" + \"ing\")' </dev/tty\n"));
  ASSERT_NO_FATAL_FAILURE(expect_on_screen(*wp_, branch_, "\nwaiting"));
  auto gone = wp_->side_exec(
      branch_, {.argv = {"sh", "-c", "while pgrep -x true >/dev/null; do sleep 0.01; done"}});
  ASSERT_OK(gone);
  auto here = wp_->checkpoint(branch_);
  if (GetParam() == EngineChoice::kNative) {
    ASSERT_OK(here);
    ASSERT_OK(wp_->restore(branch_, here->id));
  } else {
    ASSERT_FALSE(here.ok());
    EXPECT_EQ(here.error().code, ErrorCode::kUnsupported);
    for (const char* word : {"python3", "without its first process", "native engine"})
      EXPECT_NE(here.error().describe().find(word), std::string::npos) << here.error().describe();
  }
  ASSERT_OK(wp_->send_keys(branch_, "\n"));
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_P(PipelineTest, APagerBehindAnEndedWriterReactsAfterRestoreAndInAFork) {
  ASSERT_NO_FATAL_FAILURE(begin("seq 1 500 | less\n", "1\n2\n3\n"));
  if (GetParam() == EngineChoice::kCriu) {
    EXPECT_FALSE(wp_->checkpoint(branch_).ok());
    return expect_less_reacts(branch_, "after the refusal");
  }
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  ASSERT_NO_FATAL_FAILURE(expect_less_reacts(branch_, "live"));
  ASSERT_OK(wp_->restore(branch_, here.id));
  ASSERT_NO_FATAL_FAILURE(expect_less_reacts(branch_, "restored"));
  auto forks = wp_->fork(here.id, 1);
  ASSERT_OK(forks.at(0));
  ASSERT_NO_FATAL_FAILURE(expect_less_reacts(*forks[0], "fork"));
}

TEST_P(PipelineTest, BusyErrorNamesTheProgramThatHoldsTheTerminal) {
  ASSERT_NO_FATAL_FAILURE(begin("seq 1 500 | less\n", "1\n2\n3\n"));
  auto refused = wp_->exec(branch_, {.command = "true"});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("less"), std::string::npos) << refused.error().message;
}

INSTANTIATE_TEST_SUITE_P(Engines, PipelineTest,
                         ::testing::Values(EngineChoice::kNative, EngineChoice::kCriu),
                         [](const auto& engine) {
                           return engine.param == EngineChoice::kNative ? "native" : "criu";
                         });

}  // namespace
}  // namespace sf::waypoint
