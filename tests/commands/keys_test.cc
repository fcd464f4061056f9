// The raw terminal: keys in, screen out, and conflicts between keys and commands.
#include <future>

#include "fixture.h"

namespace sf::waypoint {
namespace {

class KeysTest : public CommandsTest {
 protected:
  // Waits until a row of the screen contains `text`.
  void expect_on_screen(const std::string& text) {
    Deadline deadline = Deadline::after(seconds(60));
    for (;;) {
      auto screen = wp_->screen(branch_);
      ASSERT_OK(screen);
      std::string all;
      for (const std::string& row : screen->rows) all += row + "\n";
      if (all.find(text) != std::string::npos) return;
      ASSERT_FALSE(deadline.passed()) << "not on the screen: " << text << "\n" << all;
    }
  }
};

TEST_F(KeysTest, KeysDriveARepl) {
  branch_ = start();
  ASSERT_OK(wp_->send_keys(branch_, "python3 -q\n"));
  expect_on_screen(">>>");
  ASSERT_OK(wp_->send_keys(branch_, "print(6*7)\n"));
  // Wait for the next prompt: Python loses an end of file that arrives before it makes the terminal
  // raw.
  expect_on_screen("42\n>>>");
  ASSERT_OK(wp_->send_keys(branch_, "\x04"));
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(KeysTest, ScreenShowsAFullScreenProgram) {
  branch_ = start();
  run("seq 1 200 >/tmp/numbers");
  ASSERT_OK(wp_->send_keys(branch_, "less /tmp/numbers\n"));
  expect_on_screen("/tmp/numbers");
  ASSERT_OK(wp_->send_keys(branch_, "G"));
  expect_on_screen("200");
  ASSERT_OK_AND_ASSIGN(ScreenText screen, wp_->screen(branch_));
  EXPECT_TRUE(screen.alternate_screen);
  ASSERT_OK(wp_->send_keys(branch_, "q"));
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(KeysTest, CommandIsRefusedWhileAnotherProgramHoldsTheTerminal) {
  branch_ = start();
  ASSERT_OK(wp_->send_keys(branch_, "cat\n"));
  expect_on_screen("cat");
  auto refused = wp_->exec(branch_, {.command = "echo lost"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_NE(refused.error().message.find("cat"), std::string::npos) << refused.error().message;
  ASSERT_OK(wp_->send_keys(branch_, "\x03"));
  EXPECT_EQ(output("echo fine"), "fine\n");
}

// The key may reach the shell before, during or after the start of a program. As on any terminal, a
// child that has not called exec yet loses it; the next key arrives. If a program takes the
// terminal from bash and then dies of the interrupt, bash dies as well; then a fresh shell is
// started.
TEST_F(KeysTest, AnInterruptAtAnyMomentEndsTheCommand) {
  branch_ = start();
  constexpr int kRounds = 150;
  for (int round = 0; round < kRounds; ++round) {
    auto running = std::async(std::launch::async, [&] {
      return wp_->exec(branch_, {.command = "echo began; sleep 1000", .timeout = milliseconds(0)});
    });
    auto pause = microseconds(round * 40);
    while (running.wait_for(pause) != std::future_status::ready) {
      ASSERT_OK(wp_->send_keys(branch_, "\x03"));
      pause = milliseconds(300);
    }
    auto ended = running.get();
    ASSERT_TRUE(ended.ok()) << round << ": " << ended.error().describe();
    EXPECT_EQ(ended->exit_code, 130) << round;
    ASSERT_EQ(output("echo fine"), "fine\n") << round;
  }
}

TEST_F(KeysTest, KeysAnswerACommandThatReads) {
  branch_ = start();
  bool asked = false;
  auto result = wp_->exec(branch_, {.command = "read -p 'name? ' name; echo hello $name"},
                          [&](std::string_view bytes) {
                            if (asked || bytes.find('?') == std::string_view::npos) return;
                            asked = true;
                            EXPECT_OK(wp_->send_keys(branch_, "Ada\n"));
                          });
  ASSERT_OK(result);
  EXPECT_NE(result->output.find("hello Ada\n"), std::string::npos) << result->output;
}

TEST_F(KeysTest, TheWindowCanBeResized) {
  branch_ = start();
  ASSERT_OK(wp_->resize(branch_, {30, 100}));
  EXPECT_EQ(output("stty size"), "30 100\n");
  ASSERT_OK_AND_ASSIGN(ScreenText screen, wp_->screen(branch_));
  EXPECT_EQ(screen.size, (WindowSize{30, 100}));
  EXPECT_FALSE(wp_->resize(branch_, {0, 0}).ok());
}

TEST_F(KeysTest, KeysTypedButNotYetReadBelongToTheCheckpoint) {
  branch_ = start();
  ASSERT_OK(wp_->send_keys(
      branch_, "sh -c 'echo up; until test -e /tmp/go; do :; done; read x; echo \"got <$x>\"'\n"));
  expect_on_screen("\nup\n");
  ASSERT_OK(wp_->send_keys(branch_, "hello\nunfini"));
  expect_on_screen("unfini");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  auto finish = [&] {
    ASSERT_OK(wp_->side_exec(branch_, {.argv = {"touch", "/tmp/go"}}));
    expect_on_screen("got <hello>");
    ASSERT_OK(wp_->send_keys(branch_, "shed\n"));
    expect_on_screen("unfinished: command not found");
  };
  finish();
  ASSERT_OK(wp_->restore(branch_, here.id));
  finish();
}

// Lines of text for a reader other than the shell.
std::string text_of(std::size_t bytes) {
  std::string text;
  for (int i = 1; text.size() < bytes; ++i)
    text += std::to_string(i) + " is the number of a line\n";
  return text;
}

// A slow reader: it starts when /tmp/go exists and reads byte by byte. The wait runs in a separate
// program, because bash would not notice an interrupt that arrives between two programs.
constexpr const char* kSlowReader =
    "stty -echo; sh -c 'echo rea\"\"dy; until test -e /tmp/go; do sleep 0.02; done'; "
    "while IFS= read -r l && [ \"$l\" != end ]; do printf '%s\\n' \"$l\"; done >/tmp/text; "
    "stty echo; echo fin''ished\n";

TEST_F(KeysTest, KeysWaitForASlowProgramAndArriveComplete) {
  branch_ = start();
  for (std::size_t size : {std::size_t{14'000}, std::size_t{1} << 20U}) {
    run("rm -f /tmp/go; clear");
    ASSERT_OK(wp_->send_keys(branch_, kSlowReader));
    expect_on_screen("ready");
    const std::string text = text_of(size);
    ASSERT_OK_AND_ASSIGN(TypedKeys typed, wp_->send_keys(branch_, text));
    EXPECT_EQ(typed.accepted, text.size());
    EXPECT_GT(typed.waiting, text.size() - 4096);
    ASSERT_OK(wp_->send_keys(branch_, "end\n"));
    ASSERT_OK(wp_->side_exec(branch_, {.argv = {"touch", "/tmp/go"}}));
    expect_on_screen("finished");
    ASSERT_OK_AND_ASSIGN(
        SideObservation kept,
        wp_->side_exec(branch_, {.argv = {"cat", "/tmp/text"}, .max_output = 2 * text.size()}));
    EXPECT_TRUE(kept.standard_output == text) << size << ": " << kept.standard_output.size();
    EXPECT_EQ(output("echo fine"), "fine\n");
  }
}

TEST_F(KeysTest, TooManyKeysAreRefusedWithTheRemainingRoom) {
  branch_ = start();
  EXPECT_EQ(wp_->send_keys(branch_, std::string(5U << 20U, '\n')).error().code,
            ErrorCode::kInvalidArgument);
  ASSERT_OK(wp_->send_keys(branch_, kSlowReader));
  expect_on_screen("ready");
  const std::string text = text_of(3U << 20U);
  ASSERT_OK(wp_->send_keys(branch_, text));
  auto refused = wp_->send_keys(branch_, text);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  const std::size_t room = std::stoul(refused.error().details.at("room_bytes"));
  EXPECT_LT(room, text.size());
  EXPECT_GT(room, 1U << 20U);
  ASSERT_OK(wp_->send_keys(branch_, text.substr(0, text.rfind('\n', room - 10) + 1)));
  EXPECT_FALSE(wp_->exec(branch_, {.command = "echo never"}).ok()) << "keys are waiting";
  ASSERT_OK(wp_->send_keys(branch_, "\x03"));
  EXPECT_EQ(output("stty echo; cat /tmp/text 2>/dev/null; echo fine"), "fine\n");
}

TEST_F(KeysTest, AnInterruptOvertakesWaitingKeys) {
  branch_ = start();
  for (const char* key : {"\x03", "\x1c"}) {
    run("clear; rm -f /tmp/text");
    ASSERT_OK(wp_->send_keys(branch_, "sh -c 'echo rea''dy; exec sleep 1000'\n"));
    expect_on_screen("\nready");
    ASSERT_OK_AND_ASSIGN(TypedKeys typed, wp_->send_keys(branch_, text_of(200'000)));
    EXPECT_GT(typed.waiting, 100'000U);
    ASSERT_OK_AND_ASSIGN(typed, wp_->send_keys(branch_, key));
    EXPECT_EQ(typed.waiting, 0U);
    EXPECT_EQ(output("echo fine"), "fine\n");
  }
}

TEST_F(KeysTest, AnInterruptEndsACommandWhoseInputWaits) {
  branch_ = start();
  auto running = std::async(std::launch::async, [&] {
    bool ready = false;
    return wp_->exec(branch_, {.command = "echo ready; exec 3</dev/tty; sleep 1000"},
                     [&](std::string_view) {
                       if (std::exchange(ready, true)) return;
                       EXPECT_OK(wp_->send_keys(branch_, text_of(50'000)));
                       EXPECT_OK(wp_->send_keys(branch_, "\x03"));
                     });
  });
  while (running.wait_for(seconds(2)) != std::future_status::ready)
    ASSERT_OK(wp_->send_keys(branch_, "\x03"));  // the shell may get one before the program starts
  ASSERT_OK_AND_ASSIGN(Observation ended, running.get());
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(KeysTest, LineLongerThanTheTerminalsLimitIsRefused) {
  branch_ = start();
  ASSERT_OK(wp_->send_keys(branch_, "cat >/tmp/text\n"));
  // Type only after that: the shell itself reads single keys.
  ASSERT_OK(wp_->side_exec(
      branch_, {.argv = {"sh", "-c", "until pgrep -x cat >/dev/null; do sleep 0.01; done"}}));
  auto refused = wp_->send_keys(branch_, std::string(5000, 'x') + "\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  ASSERT_OK(wp_->send_keys(branch_, std::string(4000, 'x') + "\n\x04"));
  EXPECT_EQ(output("wc -c </tmp/text"), "4001\n");
}

TEST_F(KeysTest, WaitingKeysAreCheckpointedAndArriveOnceInEachBranch) {
  branch_ = start();
  ASSERT_OK(wp_->send_keys(branch_, kSlowReader));
  expect_on_screen("ready");
  const std::string text = text_of(300'000);
  ASSERT_OK(wp_->send_keys(branch_, text + "en"));
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  auto finish = [&](const BranchId& branch, const std::string& end) {
    branch_ = branch;
    ASSERT_OK(wp_->send_keys(branch, end));
    ASSERT_OK(wp_->side_exec(branch, {.argv = {"touch", "/tmp/go"}}));
    expect_on_screen("finished");
    ASSERT_OK_AND_ASSIGN(
        SideObservation kept,
        wp_->side_exec(branch, {.argv = {"cat", "/tmp/text"}, .max_output = 2 * text.size()}));
    EXPECT_TRUE(kept.standard_output == text) << kept.standard_output.size();
    EXPECT_EQ(output("echo fine"), "fine\n");
  };
  const BranchId first = branch_;
  auto forks = wp_->fork(here.id, 2);
  ASSERT_EQ(forks.size(), 2U);
  for (const auto& fork : forks) {
    ASSERT_OK(fork);
    finish(*fork, "d\n");
  }
  finish(first, "d\n");
  ASSERT_OK(wp_->restore(first, here.id));
  // A second generation: keys that were restored while unread are saved again.
  ASSERT_OK_AND_ASSIGN(CheckpointInfo again, wp_->checkpoint(first));
  finish(first, "d\n");
  ASSERT_OK(wp_->restore(first, again.id));
  finish(first, "d\n");
}

TEST_F(KeysTest, ScreenAndScrollbackBelongToTheCheckpoint) {
  branch_ = start();
  run("seq 1 100");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  ASSERT_OK_AND_ASSIGN(ScreenText before, wp_->screen(branch_, 50));
  run("clear; echo other");
  ASSERT_OK(wp_->restore(branch_, here.id));
  ASSERT_OK_AND_ASSIGN(ScreenText after, wp_->screen(branch_, 50));
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace sf::waypoint
