// Keys meet a shell with line editing, prompt, history and completion; exec_command must not notice
// any of that. Both use the same shell in turn.
#include <future>

#include "fixture.h"
#include "screen_wait.h"

namespace sf::waypoint {
namespace {

constexpr const char* kLeft = "\x1b[D";
constexpr const char* kUp = "\x1b[A";
constexpr const char* kSearch = "\x12";
constexpr const char* kInterrupt = "\x03";
constexpr const char* kPrompt = "root@waypoint:/# ";

class EditingTest : public CommandsTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void keys(const std::string& bytes) { ASSERT_OK(wp_->send_keys(branch_, bytes)); }
  void see(const std::string& text) { expect_on_screen(*wp_, branch_, text); }
  // Waits until the screen shows `text` this many times and then a prompt.
  void see_at_prompt(const std::string& text, int times) {
    Deadline deadline = Deadline::after(seconds(20));
    for (;;) {
      const std::string all = screen_text(*wp_, branch_);
      int found = 0;
      std::size_t last = 0;
      for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) {
        ++found;
        last = at + text.size();
      }
      if (found == times && all.compare(last, 15, kPrompt, 15) == 0) return;
      ASSERT_FALSE(deadline.passed()) << found << " times: " << text << "\n" << all;
    }
  }
  // Runs `command` and expects exactly `wanted`, without any output of the line editor.
  void expect_clean(const std::string& command, const std::string& wanted) {
    Observation r = run(command);
    EXPECT_EQ(r.output, wanted) << command;
    EXPECT_EQ(r.raw.find('\x1b'), std::string::npos) << r.raw;
    EXPECT_FALSE(r.shell_restarted) << command;
    EXPECT_EQ(r.background.find("__wp"), std::string::npos) << r.background;
    EXPECT_EQ(screen_text(*wp_, branch_).find("__wp"), std::string::npos);
  }
  void begin_in_mode() {
    branch_ = start();
    run("kept=yes");
    run(std::string("set -o ") + GetParam());
  }
};

TEST_P(EditingTest, CommandsRunAfterACommandSetTheEditingMode) {
  begin_in_mode();
  expect_clean("echo $kept", "yes\n");
  expect_clean(std::string("[[ -o ") + GetParam() + " ]]; echo $?", "0\n");
  expect_clean("set -o | grep -c -E '^(emacs|vi) .*on$'", "1\n");
}

// bash's editor reads the erase key from the terminal settings; the driver uses it to delete a
// half-typed line.
TEST_P(EditingTest, CommandRunsAfterAnotherEraseKeyWasTyped) {
  begin_in_mode();
  int number = 0;
  for (const std::string key : {"^H", "^?"}) {
    const std::string mark = std::to_string(++number);
    keys("stty erase " + key + "; echo set-$((40 + 2))-" + mark + "\r");
    see("set-42-" + mark);
    keys("echo half-" + mark);
    see("echo half-" + mark);
    expect_clean("echo $kept", "yes\n");
    expect_clean("stty -a | grep -o '\\berase = [^;]*'", "erase = " + key + "\n");
  }
}

TEST_P(EditingTest, CommandContinuesAShellThatWasStopped) {
  begin_in_mode();
  keys("suspend -f; echo woken\r");
  expect_clean("echo $kept", "yes\n");
  keys("kill -STOP $$\r");
  expect_clean("echo $kept", "yes\n");
}

TEST_P(EditingTest, CommandsRunAfterKeysSetTheEditingMode) {
  branch_ = start();
  run("kept=yes");
  keys(std::string("set -o ") + GetParam() + "; echo se\"\"t\n");
  see("\nset\n");
  expect_clean("echo $kept", "yes\n");
  expect_clean(std::string("[[ -o ") + GetParam() + " ]]; echo $?", "0\n");
  keys("echo ty\"\"ped $kept\n");
  see("\ntyped yes\n");
  expect_clean("echo $kept", "yes\n");
}

TEST_P(EditingTest, LinesAreEditedRecalledSearchedAndCompleted) {
  begin_in_mode();
  run("touch /tmp/quite-unique-name");
  keys(std::string("echo w\"\"rld") + kLeft + kLeft + kLeft + "o\n");
  see_at_prompt("\nworld\n", 1);
  keys(std::string(kUp) + "\n");
  see_at_prompt("\nworld\n", 2);
  keys(std::string(kSearch) + "w\"\"o");
  see("search)");
  keys("\r");  // C-j would only end the search
  see_at_prompt("\nworld\n", 3);
  keys("ls /tmp/quite-un\t");
  see("# ls /tmp/quite-unique-name");
  keys("\n");
  see_at_prompt("\n/tmp/quite-unique-name\n", 1);
  expect_clean("echo $kept", "yes\n");
}

TEST_P(EditingTest, AHalfTypedLineIsNotRunByTheNextCommand) {
  begin_in_mode();
  keys("touch /half");
  see("touch /half");
  expect_clean("ls /half 2>/dev/null; echo $kept", "yes\n");
  keys("echo back\n");
  see("\nback\n");
  keys("for x in 1 2\n");
  see("\n>\n");
  expect_clean("ls /half 2>/dev/null; echo $kept", "yes\n");
  keys("(exit 7)\n");
  see("(exit 7)");
  expect_clean("echo $?", "7\n");
}

TEST_P(EditingTest, AHalfTypedLineIsNotRunWhereCommentsAreSwitchedOff) {
  begin_in_mode();
  run("shopt -u interactive_comments");
  keys("true; touch /half");
  see("true; touch /half");
  expect_clean("ls /half 2>/dev/null; echo $kept", "yes\n");
  keys(std::string("true; touch /half ;") + kLeft + kLeft);
  see("true; touch /half ;");
  expect_clean("ls /half 2>/dev/null; echo $kept", "yes\n");
}

TEST_P(EditingTest, APasteAfterACommandWaitsForReturn) {
  begin_in_mode();
  const InputEvent paste{InputEvent::Kind::kPaste, "echo pas''ted\necho twi''ce", {}};
  ASSERT_OK(wp_->send_input(branch_, {paste}));
  see("echo twi''ce");
  EXPECT_EQ(screen_text(*wp_, branch_).find("\npasted\n"), std::string::npos);
  const InputEvent enter{InputEvent::Kind::kKey, "Enter", {}};
  ASSERT_OK(wp_->send_input(branch_, {enter}));
  see("\npasted\ntwice\n");
  // Keys sent after a paste that waits for the prompt are typed after that paste.
  run("true");
  ASSERT_OK(wp_->send_input(branch_, {paste}));
  keys("-and-mo''re\r");
  see("\ntwice-and-more\n");
}

TEST_P(EditingTest, ControlKeysInterruptSuspendAndEndTheShell) {
  begin_in_mode();
  keys("echo never");
  see("echo never");
  keys(kInterrupt);
  see("^C\n" + std::string(kPrompt).substr(0, 16));
  keys("sh -c 'echo re\"\"ady; exec cat'\n");
  see("\nready\n");
  keys("\x1a");
  see("Stopped");
  expect_clean("jobs | grep -c Stopped; kill %1", "1\n");
  keys("echo dy\"\"ing\n");
  see("\ndying\n");
  keys("\x04");
  see("exit\n");
  Observation fresh = run("echo \"[$kept]\"");
  EXPECT_EQ(fresh.output, "[]\n");
  EXPECT_TRUE(fresh.shell_restarted);
}

TEST_P(EditingTest, SnapshotsHoldTheLineAndTheMode) {
  begin_in_mode();
  keys("echo half\"\"way");
  see("echo half\"\"way");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  keys(" there\n");
  see("\nhalfway there\n");
  expect_clean("echo $kept", "yes\n");
  ASSERT_OK(wp_->restore(branch_, here.id));
  keys(" again\n");
  see("\nhalfway again\n");
  auto forks = wp_->fork(here.id, 1);
  ASSERT_OK(forks.at(0));
  branch_ = *forks[0];
  expect_clean("echo $kept", "yes\n");
  expect_clean(std::string("[[ -o ") + GetParam() + " ]]; echo $?", "0\n");
  keys("echo ty\"\"ped\n");
  see("\ntyped\n");
}

INSTANTIATE_TEST_SUITE_P(Modes, EditingTest, ::testing::Values("emacs", "vi"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_F(CommandsTest, KeysDoNotChangeTheShellOptionsThatACommandSees) {
  const std::string fingerprint =
      "set -o; shopt; echo $SHELLOPTS [$PS1] [$PS0] $-; declare -p | grep __wp";
  branch_ = start();
  const std::string before = output(fingerprint);
  EXPECT_NE(before.find("emacs          \ton"), std::string::npos) << before;
  ASSERT_OK(wp_->send_keys(branch_, "true\n"));
  EXPECT_EQ(output(fingerprint), before);
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  ASSERT_OK(wp_->restore(branch_, here.id));
  EXPECT_EQ(output(fingerprint), before);
}

TEST_F(CommandsTest, EditingCanBeSwitchedOffAndOnByCommands) {
  EXPECT_EQ(output("set +o emacs\necho same command"), "same command\n");
  EXPECT_EQ(output("set -o | grep -c -E '^(emacs|vi) .*on$'"), "0\n");
  ASSERT_OK(wp_->send_keys(branch_, "echo plain''ly\n"));
  expect_on_screen(*wp_, branch_, "\nplainly\n");
  EXPECT_EQ(output("set -o vi\necho same command"), "same command\n");
  EXPECT_EQ(output("f() { set -o emacs; }"), "");
  EXPECT_EQ(output("echo fine"), "fine\n");
}

// bash 5.2 crashes if text passed to eval turns its line editor on.
TEST_F(CommandsTest, EditingIsSwitchedByFunctionsAliasesAndVariables) {
  run("kept=yes");
  run("f() { set -o vi; }; m=emacs; shopt -s expand_aliases; alias a='set -o vi'");
  for (const char* command : {"f", "set -o \"$m\"", "a", "f; echo $kept"}) {
    const Observation r = run(command);
    EXPECT_FALSE(r.shell_restarted) << command;
  }
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  run("set +o vi");
  ASSERT_OK(wp_->restore(branch_, here.id));
  EXPECT_FALSE(run("f").shell_restarted);
  EXPECT_EQ(output("[[ -o vi ]]; echo $? $kept"), "0 yes\n");
}

// If a sourced file defines such a function, bash 5.2 still crashes; the result must report that.
TEST_F(CommandsTest, CrashOfASourcedFunctionThatSwitchesEditingIsReported) {
  run("printf 'f() { set -o vi; }\\n' >/tmp/functions");
  run(". /tmp/functions");
  const Observation r = run("f; echo $?");
  EXPECT_TRUE(r.shell_restarted || r.output == "0\n") << r.output;  // a later bash does not crash
  EXPECT_EQ(output("echo usable"), "usable\n");
}

TEST_F(CommandsTest, AReadOfASingleKeyIsNotThePrompt) {
  run("true");
  ASSERT_OK(wp_->send_keys(branch_, "read -n1 -p 'Delete? ' x\n"));
  expect_on_screen(*wp_, branch_, "\nDelete?");
  auto refused = wp_->exec(branch_, {.command = "echo never"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  ASSERT_OK(wp_->send_keys(branch_, "y"));
  EXPECT_EQ(output("echo got $x"), "got y\n");
}

TEST_F(CommandsTest, APromptThatAsksTheTerminalGetsItsAnswer) {
  run(R"(PROMPT_COMMAND="read -sdR -p $'\e[6n' pos; pos=\${pos#*[}")");
  EXPECT_EQ(output("echo one"), "one\n");
  ASSERT_OK(wp_->send_keys(branch_, "echo pos:$pos:\n"));
  Deadline deadline = Deadline::after(seconds(20));
  std::string all;
  do {
    all = screen_text(*wp_, branch_);
    ASSERT_FALSE(deadline.passed()) << all;
  } while (all.find(";1:") == std::string::npos);
  const Observation two = run("echo two");
  EXPECT_EQ(two.output, "two\n");
  EXPECT_FALSE(two.shell_restarted);
}

// Without bash's editor the kernel's line discipline buffers the typed part of a line.
TEST_F(CommandsTest, HalfTypedLineInTheTerminalIsNotJoinedWithACommand) {
  run("set +o emacs; kept=yes");
  ASSERT_OK(wp_->send_keys(branch_, "echo fir''st\n"));
  expect_on_screen(*wp_, branch_, "\nfirst\n");
  ASSERT_OK(wp_->send_keys(branch_, "touch /half; "));
  expect_on_screen(*wp_, branch_, "touch /half;");
  EXPECT_EQ(output("ls /half 2>/dev/null; echo $kept"), "yes\n");
  EXPECT_EQ(screen_text(*wp_, branch_).find("__wp"), std::string::npos);
}

TEST_F(CommandsTest, KeysTypedBeforeAndAfterThePromptFormOneLine) {
  run("mkfifo /tmp/go");
  auto running = std::async(std::launch::async, [&] {
    return wp_->exec(branch_, {.command = "echo wai''ting; read x </tmp/go"});
  });
  expect_on_screen(*wp_, branch_, "waiting");
  ASSERT_OK(wp_->send_keys(branch_, "echo ahe"));
  expect_on_screen(*wp_, branch_, "echo ahe");
  ASSERT_OK(wp_->side_exec(branch_, {.argv = {"sh", "-c", "echo >/tmp/go"}}));
  ASSERT_OK(running.get());
  ASSERT_OK(wp_->send_keys(branch_, "ad''-typed\n"));
  expect_on_screen(*wp_, branch_, "\nahead-typed\n");
  EXPECT_EQ(screen_text(*wp_, branch_).find("__wp"), std::string::npos);
}

// Checks the same branch, a restored branch and a fork.
TEST_F(CommandsTest, EndOfFileTypedAheadIsDeliveredAfterASnapshot) {
  run("mkfifo /tmp/go");
  auto running = std::async(std::launch::async, [&] {
    return wp_->exec(branch_, {.command = "echo wai''ting; read x </tmp/go; cat; echo ended"});
  });
  expect_on_screen(*wp_, branch_, "waiting");
  ASSERT_OK(wp_->send_keys(branch_, "line\npart\x04\x04"));
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  const auto resume = [&](const BranchId& branch) {
    ASSERT_OK(wp_->side_exec(branch, {.argv = {"sh", "-c", "echo >/tmp/go"}}));
    expect_on_screen(*wp_, branch, "partended");
  };
  resume(branch_);
  ASSERT_OK_AND_ASSIGN(Observation live, running.get());
  EXPECT_NE(live.output.find("line\npartended\n"), std::string::npos) << live.output;
  auto forks = wp_->fork(here.id, 1);
  ASSERT_OK(forks.at(0));
  resume(*forks[0]);
  ASSERT_OK(wp_->restore(branch_, here.id));
  resume(branch_);
}

TEST_F(CommandsTest, HistoryHoldsTheUsersCommandsOnly) {
  run("echo first");
  ASSERT_OK(wp_->send_keys(branch_, "echo sec''ond\n"));
  expect_on_screen(*wp_, branch_, "\nsecond\n");
  EXPECT_EQ(output("history 3 | sed 's/^ *[0-9]* *//'"),
            "echo first\necho sec''ond\nhistory 3 | sed 's/^ *[0-9]* *//'\n");
}

TEST_F(CommandsTest, HistorySwitchedOffByKeysStaysOffUntilKeysSwitchItOn) {
  const auto type = [&](const std::string& line, const std::string& shown) {
    ASSERT_OK(wp_->send_keys(branch_, line + "\n"));
    expect_on_screen(*wp_, branch_, "\n" + shown + "\n");
  };
  const auto remembers = [&](const std::string& pattern) {
    return output("history | grep -c \"" + pattern + "\"");
  };
  run("true");
  type("echo be''fore", "before");
  run("true");
  type("set +o history; echo o''ff", "off");
  run("true");
  type("echo sec''ret", "secret");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, wp_->checkpoint(branch_));
  run("true");
  ASSERT_OK(wp_->restore(branch_, here.id));
  run("true");
  type("echo al''so", "also");
  EXPECT_EQ(remembers("be''[f]ore"), "1\n");
  EXPECT_EQ(remembers("sec''[r]et"), "0\n");
  EXPECT_EQ(remembers("al''[s]o"), "0\n");
  type("set -o history; echo o''n", "on");
  run("true");
  type("echo remem''bered", "remembered");
  EXPECT_EQ(remembers("remem''[b]ered"), "1\n");
}

}  // namespace
}  // namespace sf::waypoint
