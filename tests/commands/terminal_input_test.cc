// Keys, mouse events and pastes in the form that programs expect, and the terminal's replies to
// their queries.
#include "fixture.h"

namespace sf::waypoint {
namespace {

// Reads single keys. Prints its first argument (with Python escapes), waits for a file, then prints
// everything read up to "q" as Python's repr of bytes.
constexpr const char* kReader = R"python(
import os, sys, time, tty, termios
early = len(sys.argv) > 2
before = termios.tcgetattr(0)
def ask():
    os.write(1, sys.argv[1].encode().decode("unicode_escape").encode("latin-1"))
if early: ask()
else:
    tty.setraw(0); ask()
os.write(1, b"asked\r\n")
while not os.path.exists("/tmp/go"): time.sleep(0.01)
if early: tty.setraw(0)
got = b""
while not got.endswith(b"q"):
    got += os.read(0, 100)
    if got.endswith(b"R"): os.write(1, b"have\r\n")
termios.tcsetattr(0, termios.TCSANOW, before)
print("got", got, flush=True)
)python";

class TerminalInputTest : public CommandsTest {
 protected:
  std::string shown(const BranchId& branch) {
    auto screen = wp_->screen(branch);
    std::string all = "\n";
    for (const std::string& row : screen.ok() ? screen->rows : std::vector<std::string>())
      all += row + "\n";
    return all;
  }
  void expect_on_screen(const std::string& text) { expect_on_screen(branch_, text); }
  void expect_on_screen(const BranchId& branch, const std::string& text) {
    Deadline deadline = Deadline::after(seconds(30));
    for (;;) {
      const std::string all = shown(branch);
      if (all.find(text) != std::string::npos) return;
      ASSERT_FALSE(deadline.passed()) << "not on the screen: " << text << "\n" << all;
    }
  }
  // Waits until the file has content, and expects that it begins with `content`.
  void expect_in_file(const std::string& path, const std::string& content) {
    Deadline deadline = Deadline::after(seconds(30));
    for (;;) {
      auto found = wp_->side_exec(branch_, {.argv = {"cat", path}});
      ASSERT_OK(found);
      if (const std::string& written = found->standard_output; !written.empty()) {
        EXPECT_EQ(written.substr(0, content.size()), content) << written;
        return;
      }
      ASSERT_FALSE(deadline.passed()) << shown(branch_);
    }
  }
  static InputEvent text(const std::string& typed) { return {InputEvent::Kind::kText, typed, {}}; }
  static InputEvent key(const std::string& name) { return {InputEvent::Kind::kKey, name, {}}; }
  void start_reader(const std::string& printed, bool early = false) {
    ASSERT_OK(wp_->write_file(branch_, "/tmp/reader.py", kReader));
    ASSERT_OK(wp_->send_keys(
        branch_, "clear; python3 /tmp/reader.py '" + printed + "'" + (early ? " early\n" : "\n")));
    expect_on_screen("\nasked\n");
  }
  void let_it_read(const BranchId& branch) {
    ASSERT_OK(wp_->side_exec(branch, {.argv = {"touch", "/tmp/go"}}));
  }
};

TEST_F(TerminalInputTest, ArrowKeysChooseInADialog) {
  branch_ = start();
  ASSERT_OK(wp_->send_keys(
      branch_, "TERM=xterm dialog --menu choose 12 40 4 a one b two c three 2>/tmp/choice\n"));
  expect_on_screen("three");
  // dialog discards the keys typed before it has painted; after painting it sleeps.
  const std::string asleep = "grep -q '^State:.S' /proc/$(pidof -s dialog)/status";
  Deadline deadline = Deadline::after(seconds(30));
  for (int in_a_row = 0; in_a_row < 3;) {
    auto looked = wp_->side_exec(branch_, {.argv = {"sh", "-c", asleep}});
    ASSERT_OK(looked);
    in_a_row = looked->exit_code == 0 ? in_a_row + 1 : 0;
    ASSERT_FALSE(deadline.passed());
  }
  ASSERT_OK(wp_->send_input(branch_, {key("Down"), key("Down"), key("Up"), key("Enter")}));
  expect_in_file("/tmp/choice", "b");
}

TEST_F(TerminalInputTest, FzfAtTheBottomOfTheScreenIsDrivenByKeys) {
  branch_ = start();
  ASSERT_OK(wp_->send_keys(
      branch_, "clear; printf 'one\\ntwo\\nthree\\n' | fzf --height 40% >/tmp/picked\n"));
  expect_on_screen("3/3");
  ASSERT_OK(wp_->send_input(branch_, {text("t"), key("Up"), key("Enter")}));
  expect_in_file("/tmp/picked", "t");
}

TEST_F(TerminalInputTest, FzfWorksInACommand) {
  branch_ = start();
  auto result =
      wp_->exec(branch_, {.command = "printf 'one\\ntwo\\n' | fzf --height 40% -1 -q tw"});
  ASSERT_OK(result);
  EXPECT_NE(result->output.find("two"), std::string::npos) << result->output;
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(TerminalInputTest, AnUnknownKeyIsRefusedAndNothingIsTyped) {
  branch_ = start();
  start_reader("");
  auto refused = wp_->send_input(branch_, {text("lost"), key("Entr")});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("Enter"), std::string::npos) << refused.error().message;
  let_it_read(branch_);
  ASSERT_OK(wp_->send_input(branch_, {text("q")}));
  expect_on_screen("got b'q'");
}

TEST_F(TerminalInputTest, KeysMouseAndPastesFollowTheModesThroughRestoreAndFork) {
  branch_ = start();
  start_reader("\\x1b[?1h\\x1b=\\x1b[?1002h\\x1b[?1006h\\x1b[?2004h");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  InputEvent click{.kind = InputEvent::Kind::kMouse, .mouse = {.row = 1, .col = 2}};
  const InputEvents input = {
      key("Down"), key("KP1"), click, {InputEvent::Kind::kPaste, "a\nb", {}}, text("q")};
  const std::string expected =
      R"(got b'\x1bOB\x1bOq\x1b[<0;3;2M\x1b[<0;3;2m\x1b[200~a\rb\x1b[201~q')";
  auto finish = [&](const BranchId& branch) {
    let_it_read(branch);
    ASSERT_OK(wp_->send_input(branch, input));
    expect_on_screen(branch, expected);
  };
  finish(branch_);
  ASSERT_OK(wp_->restore(branch_, here.id));
  ASSERT_OK_AND_ASSIGN(BranchId fork, std::move(wp_->fork(here.id, 1).front()));
  finish(branch_);
  finish(fork);
}

TEST_F(TerminalInputTest, MouseEventsAreRefusedIfTheProgramDidNotEnableThem) {
  branch_ = start();
  InputEvent click{.kind = InputEvent::Kind::kMouse, .mouse = {.row = 1, .col = 2}};
  auto refused = wp_->send_input(branch_, {text("x"), click});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(TerminalInputTest, UnreadReplyArrivesOnceInTheBranchAfterARestoreAndInAFork) {
  for (const bool early : {false, true}) {
    branch_ = start();
    start_reader("\\x1b[5;7H\\x1b[6n\\r\\n", early);
    ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
    auto finish = [&](const BranchId& branch) {
      let_it_read(branch);
      expect_on_screen(branch, "\nhave\n");
      ASSERT_OK(wp_->send_input(branch, {text("q")}));
      expect_on_screen(branch, R"(got b'\x1b[5;7Rq')");
    };
    finish(branch_);
    ASSERT_OK(wp_->restore(branch_, here.id));
    ASSERT_OK_AND_ASSIGN(BranchId fork, std::move(wp_->fork(here.id, 1).front()));
    finish(branch_);
    finish(fork);
  }
}

TEST_F(TerminalInputTest, UnreadReplyDoesNotDisturbACommand) {
  branch_ = start();
  for (const char* command :
       {"printf '\\033[6n\\033[c'", "stty raw -echo; printf '\\033[6n'; sleep 0.1; stty sane",
        "(sleep 0.1; printf '\\033[6n') & wait", "printf '\\033[6n'; sleep 0.1"}) {
    auto result = wp_->exec(branch_, {.command = command});
    ASSERT_OK(result);
    EXPECT_EQ(result->output.find('R'), std::string::npos) << command << ": " << result->output;
    auto next = wp_->exec(branch_, {.command = "echo $?"});
    ASSERT_OK(next);
    EXPECT_EQ(next->output, "0\n") << command;
    EXPECT_EQ(next->background, "") << command;
  }
}

TEST_F(TerminalInputTest, EndOfFileTypedAheadSurvivesAnUnreadReply) {
  branch_ = start();
  ASSERT_OK(wp_->write_file(branch_, "/tmp/asks.py", R"python(
import array, fcntl, os, termios, time, tty
before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\x1b[6n")
unread = array.array("i", [0])
while unread[0] < 6: fcntl.ioctl(0, termios.FIONREAD, unread)
termios.tcsetattr(0, termios.TCSANOW, before)
print("asked", flush=True)
while not os.path.exists("/tmp/go"): time.sleep(0.01)
)python"));
  bool is_typed = false;
  auto asking =
      wp_->exec(branch_, {.command = "clear; python3 /tmp/asks.py", .timeout = seconds(60)},
                [&](std::string_view bytes) {
                  if (is_typed || bytes.find("asked") == std::string_view::npos) return;
                  is_typed = true;
                  EXPECT_OK(wp_->send_keys(branch_, "cat >/tmp/typed\nhello\n\x04"));
                  EXPECT_OK(wp_->side_exec(branch_, {.argv = {"touch", "/tmp/go"}}));
                });
  ASSERT_OK(asking);
  ASSERT_TRUE(is_typed);
  EXPECT_FALSE(asking->timed_out);
  expect_in_file("/tmp/typed", "hello\n");
  EXPECT_EQ(output("echo fine"), "fine\n") << "cat has read the end of file";
}

TEST_F(TerminalInputTest, ScriptThatQueriesTheCursorGetsItsPosition) {
  branch_ = start();
  run("clear");
  auto result = wp_->exec(
      branch_,
      {.command = R"(IFS= read -rsdR -t 20 -p $'\e[3;4H\e[6n' place; echo "<${place#*[}>")"});
  ASSERT_OK(result);
  EXPECT_NE(result->output.find("<3;4>"), std::string::npos) << result->output;
}

TEST_F(TerminalInputTest, SetColourIsReportedInTheBranchAfterARestoreAndInAFork) {
  branch_ = start();
  const auto background = [&](const BranchId& branch) {
    auto told = wp_->exec(
        branch,
        {.command = "stty raw -echo; printf '\\033]11;?\\007'; IFS= read -rs -t 20 -d $'\\a' told; "
                    "stty sane; echo ${told:5}"});
    EXPECT_OK(told);
    return told ? told->output : "";
  };
  run("printf '\\033]11;#102030\\007'");
  EXPECT_EQ(background(branch_), "rgb:1010/2020/3030\n");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  run("printf '\\033]11;#405060\\007'");
  EXPECT_EQ(background(branch_), "rgb:4040/5050/6060\n");
  ASSERT_OK_AND_ASSIGN(BranchId fork, std::move(wp_->fork(here.id, 1).front()));
  ASSERT_OK(wp_->restore(branch_, here.id));
  EXPECT_EQ(background(branch_), "rgb:1010/2020/3030\n");
  EXPECT_EQ(background(fork), "rgb:1010/2020/3030\n");
}

TEST_F(TerminalInputTest, WatchersDoNotSeeTerminalQueries) {
  branch_ = start();
  ASSERT_OK_AND_ASSIGN(TerminalWatch watch, wp_->watch(branch_));
  run("printf 'a\\033[6nb\\033]11;?\\007c\\033[31md\\n'");
  std::string seen;
  Deadline deadline = Deadline::after(seconds(20));
  while (seen.find('d') == std::string::npos) {
    ASSERT_FALSE(deadline.passed()) << seen;
    ASSERT_OK_AND_ASSIGN(auto piece, watch.next(deadline));
    if (piece) seen += piece->bytes;
  }
  EXPECT_NE(seen.find("abc\x1b[31md"), std::string::npos) << testing::PrintToString(seen);
}

TEST_F(TerminalInputTest, NewWidthRewrapsTheLines) {
  branch_ = start();
  ASSERT_OK(wp_->resize(branch_, {10, 20}));
  run("clear; echo abcdefghijklmnopqrstuvwxyz");
  expect_on_screen("\nabcdefghijklmnopqrst\nuvwxyz\n");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK(wp_->resize(branch_, {10, 40}));
    expect_on_screen("\nabcdefghijklmnopqrstuvwxyz\n");
    ASSERT_OK(wp_->restore(branch_, here.id));
  }
}

}  // namespace
}  // namespace sf::waypoint
