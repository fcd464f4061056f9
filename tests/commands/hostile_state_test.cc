// No variable, function, alias, option, limit or terminal setting of the user may change the effect
// of the next command, or the report that it ran. If a shell cannot continue, it is replaced
// quickly and the error reports that.
#include "fixture.h"

namespace sf::waypoint {
namespace {

// Far below the 20 s that a shell without an answer used to cost, far above what a loaded machine
// needs.
constexpr auto kNoStall = seconds(8);

struct Hostile {
  const char* command;
  // kRuns: the next commands run in this shell. kReplaced: the shell is replaced, and an error or
  // an observation reports that.
  enum { kRuns, kReplaced } then = kRuns;
};

class HostileState : public CommandsTest, public ::testing::WithParamInterface<Hostile> {
 protected:
  static constexpr const char* kProbe = "/bin/cat /once >>/ran; /bin/echo \"$kept\"";

  // Reads a file through a side command, because the shell's redirections may be broken.
  std::string file(const char* path) {
    auto text = wp_->side_exec(branch_, {.argv = {"cat", path}});
    EXPECT_OK(text);
    return text ? text->standard_output : "";
  }
};

TEST_P(HostileState, TheNextCommandRunsOnceOrTheShellIsReplacedWithAReport) {
  run("kept=yes; echo once >/once");
  auto hostile = wp_->exec(branch_, {.command = GetParam().command, .timeout = seconds(20)});
  ASSERT_OK(hostile);
  EXPECT_FALSE(hostile->timed_out);
  bool told = hostile->shell_restarted;
  std::string expected;
  for (int i = 0; i < 3; ++i) {
    Stopwatch watch;
    auto seen = wp_->exec(branch_, {.command = kProbe, .timeout = seconds(20)});
    EXPECT_LT(watch.elapsed(), kNoStall);
    if (seen.ok()) {
      expected += "once\n";
      told = told || seen->shell_restarted;
      EXPECT_FALSE(seen->timed_out);
      EXPECT_EQ(seen->exit_code, 0);
      EXPECT_NE(seen->output.find(told ? "\n" : "yes\n"), std::string::npos) << seen->output;
      EXPECT_EQ(seen->background.find("__wp"), std::string::npos) << seen->background;
    } else {
      EXPECT_FALSE(told) << "reported twice: " << seen.error().describe();
      EXPECT_NE(seen.error().message.find("shell was restarted"), std::string::npos)
          << seen.error().describe();
      told = true;
    }
    EXPECT_EQ(file("/ran"), expected);
  }
  EXPECT_EQ(told, GetParam().then == Hostile::kReplaced);
  auto status = wp_->exec(branch_, {.command = "/bin/sh -c 'exit 7'"});
  ASSERT_OK(status);
  EXPECT_EQ(status->exit_code, 7);
}

constexpr auto kReplaced = Hostile::kReplaced;

INSTANTIATE_TEST_SUITE_P(
    Variables, HostileState,
    ::testing::Values(
        Hostile{"readonly __wp_command=5", kReplaced}, Hostile{"readonly __wp_ack=5", kReplaced},
        Hostile{"readonly __wp_keep=5", kReplaced}, Hostile{"readonly __wp_last=5", kReplaced},
        Hostile{"readonly __wp_end; true", kReplaced}, Hostile{"readonly __wp_tail", kReplaced},
        Hostile{"readonly __wp_rest=5"}, Hostile{"__wp_rest=wp:"}, Hostile{"__wp_command=5"},
        Hostile{"declare -i __wp_command __wp_tail __wp_end __wp_keep __wp_ack"},
        Hostile{"declare -u __wp_command __wp_ack"}, Hostile{"declare -l __wp_command __wp_ack"},
        Hostile{"declare -n __wp_command=HOME __wp_ack=PWD"},
        Hostile{"declare -n __wp_end=HOME __wp_tail=PWD __wp_last=OLDPWD __wp_keep=LINES"},
        Hostile{"declare -n __wp_rest=PS1"}, Hostile{"declare -n __wp_rest=kept"},
        Hostile{"declare -n __wp_rest=__wp_end __wp_ack=__wp_command __wp_tail=__wp_keep"},
        Hostile{"declare -n a=__wp_command b=__wp_ack c=__wp_end d=__wp_rest e=__wp_tail"},
        Hostile{"declare -n __wp_end=nowhere __wp_rest='kept[0]'"},
        Hostile{"declare -n PS1=__wp_rest"}, Hostile{"declare -n TMOUT=__wp_ack"},
        Hostile{"readonly r=5; declare -n __wp_rest=r"},
        Hostile{"readonly r=5; declare -n __wp_end=r __wp_tail=r"},
        Hostile{"declare -A __wp_command __wp_end __wp_tail"}, Hostile{"export __wp_command=1"},
        Hostile{"readonly IFS"}, Hostile{"IFS=2; readonly IFS"}, Hostile{"IFS='B S'"},
        Hostile{"readonly REPLY"}, Hostile{"readonly PS1 PS0='x' TMOUT=1000"},
        Hostile{"readonly HISTTIMEFORMAT HISTCONTROL=ignoreboth"}, Hostile{"unset PS1"},
        Hostile{"TMOUT=1"}, Hostile{"PS0='shown '; PS1='prompt '"},
        Hostile{"PROMPT_COMMAND='echo prompting'"}, Hostile{"PROMPT_COMMAND='false'"},
        Hostile{"BASH_ENV=/none; ENV=/none"}, Hostile{"POSIXLY_CORRECT=1"},
        Hostile{"command_not_found_handle() { echo lost; }"}, Hostile{"LANG=C LC_ALL=C"},
        Hostile{"GLOBIGNORE='*'; PATH="}, Hostile{"unset PATH HOME IFS"},
        Hostile{"HISTIGNORE='*' HISTSIZE=0"}, Hostile{"BASH_COMPAT=4.2"}));

INSTANTIATE_TEST_SUITE_P(
    Functions, HostileState,
    ::testing::Values(
        Hostile{"builtin() { :; }; printf() { command printf \"$@\"; }", kReplaced},
        Hostile{".() { :; }", kReplaced}, Hostile{"eval() { :; }"}, Hostile{"trap() { :; }"},
        Hostile{"unset() { :; }"}, Hostile{"read() { :; }; mapfile() { :; }"},
        Hostile{"return() { :; }; exit() { :; }"}, Hostile{"set() { :; }; history() { :; }"},
        Hostile{"echo() { false; }; printf() { false; }"}, Hostile{"source() { :; }"},
        Hostile{"command() { :; }; test() { :; }; [() { :; }"}, Hostile{":() { false; }"},
        Hostile{"declare() { :; }; local() { :; }"},
        Hostile{"alias eval=false .=false read=false mapfile=false unset=false"},
        Hostile{"alias builtin=false", kReplaced}, Hostile{"alias case=false", kReplaced},
        Hostile{"alias while=false", kReplaced}, Hostile{"alias {=false", kReplaced}));

INSTANTIATE_TEST_SUITE_P(
    Builtins, HostileState,
    ::testing::Values(Hostile{"enable -n printf read"}, Hostile{"enable -n echo"},
                      Hostile{"enable -n read"}, Hostile{"enable -n history"},
                      Hostile{"enable -n trap"}, Hostile{"enable -n set"},
                      Hostile{"enable -n declare shopt umask ulimit dirs complete hash alias"},
                      Hostile{"enable -n test ["}, Hostile{"enable -n echo printf", kReplaced},
                      Hostile{"enable -n mapfile", kReplaced},
                      Hostile{"enable -n unset", kReplaced}, Hostile{"enable -n eval", kReplaced},
                      Hostile{"enable -n .", kReplaced}, Hostile{"enable -n builtin", kReplaced},
                      Hostile{"enable -n return", kReplaced}));

INSTANTIATE_TEST_SUITE_P(
    Options, HostileState,
    ::testing::Values(Hostile{"set -u"}, Hostile{"set -n"}, Hostile{"set -x"}, Hostile{"set -v"},
                      Hostile{"set -xv"}, Hostile{"set -T; set -E"}, Hostile{"set -C"},
                      Hostile{"set -f"}, Hostile{"set -k"}, Hostile{"set -a"}, Hostile{"set -b"},
                      Hostile{"set -P"}, Hostile{"set +m"}, Hostile{"set +B +h"},
                      Hostile{"set -o posix"}, Hostile{"set -o pipefail"},
                      Hostile{"set -o ignoreeof"}, Hostile{"set -o emacs"}, Hostile{"set -o vi"},
                      Hostile{"set +o emacs"}, Hostile{"set +o vi"}, Hostile{"set -o history"},
                      Hostile{"set -r", kReplaced}, Hostile{"shopt -s extdebug"},
                      Hostile{"shopt -s nullglob failglob dotglob"},
                      Hostile{"shopt -u expand_aliases interactive_comments sourcepath"},
                      Hostile{"shopt -s shift_verbose xpg_echo"}, Hostile{"shopt -s compat31"},
                      Hostile{"trap 'false' DEBUG"}, Hostile{"trap 'return 1' DEBUG 2>/dev/null"},
                      Hostile{"shopt -s extdebug; trap false DEBUG", kReplaced},
                      Hostile{"trap 'false' ERR"}, Hostile{"trap 'return 3' RETURN"},
                      Hostile{"set -T; trap 'false' RETURN DEBUG"}, Hostile{"trap 'echo bye' EXIT"},
                      Hostile{"trap '' INT QUIT TSTP TTOU TTIN HUP TERM PIPE"},
                      Hostile{"trap 'echo child' CHLD"}));

INSTANTIATE_TEST_SUITE_P(
    HostContext, HostileState,
    ::testing::Values(Hostile{"exec </dev/null", kReplaced}, Hostile{"exec 0<&-", kReplaced},
                      Hostile{"exec 3>&- 4>&- 10>&- 255>&-"}, Hostile{"ulimit -n 5", kReplaced},
                      Hostile{"ulimit -n 12"}, Hostile{"ulimit -c 0; ulimit -s 512"},
                      Hostile{"ulimit -u 1"}, Hostile{"stty raw"}, Hostile{"stty -icanon"},
                      Hostile{"stty -isig"}, Hostile{"stty -echo"},
                      Hostile{"stty -icrnl inlcr", kReplaced},
                      Hostile{"stty raw -echo -isig min 0 time 1"},
                      Hostile{"cd /proc/self; umask 777"}, Hostile{"kill -TSTP $$"},
                      Hostile{"mkdir /gone; cd /gone; rmdir /gone"}));

TEST_F(CommandsTest, TheStandardStreamsOfTheShellDoNotDecideWhetherACommandRan) {
  run("exec >/dev/null 2>&1");
  EXPECT_EQ(run("(exit 9)").exit_code, 9);
  run("exec 1>&- 2>&-");
  EXPECT_EQ(run("(exit 9)").exit_code, 9);
  EXPECT_EQ(output("exec >/dev/tty 2>&1; echo back"), "back\n");
}

TEST_F(CommandsTest, AShellThatMayNotWriteFilesRunsCommandsAndCheckpoints) {
  run("kept=yes; ulimit -f 0");
  for (int i = 0; i < 3; ++i) {
    Observation r = run("echo $kept");
    EXPECT_EQ(r.output, "yes\n");
    EXPECT_FALSE(r.shell_restarted);
    ASSERT_OK(wp_->checkpoint(branch_));
  }
}

TEST_F(CommandsTest, NameReferenceUnderADriverVariableKeepsItsTarget) {
  run("kept=yes");
  EXPECT_EQ(run("declare -n __wp_rest=kept; (exit 3)").exit_code, 3);
  EXPECT_EQ(output("echo $kept"), "yes\n");
  EXPECT_EQ(run("declare -n __wp_end=elsewhere; (exit 4)").exit_code, 4);
  EXPECT_EQ(run("(exit 5)").exit_code, 5);
  EXPECT_EQ(output("echo $kept $HOME"), "yes /root\n");
}

TEST_F(CommandsTest, AnInterruptedCommandShowsNoPrompt) {
  EXPECT_EQ(run("echo begun; sleep 1000", milliseconds(300)).output, "begun\n\n");
  Observation next = run("echo fine");
  EXPECT_EQ(next.output, "fine\n");
  EXPECT_EQ(next.background, "");
}

TEST_F(CommandsTest, TraceShowsNoDriverLines) {
  for (const char* option : {"set -x", "set -v", "set -xv", "trap 'echo DBG' DEBUG"}) {
    branch_ = start();
    run(option);
    std::string seen;
    for (const char* command :
         {"echo hi", "false", "f() { echo in f; }; f", "(exit 3)", "true | cat"}) {
      Observation r = run(command);
      seen += r.output + r.raw + r.background;
    }
    run("sleep 1000", milliseconds(300));
    auto screen = wp_->screen(branch_, 500);
    ASSERT_OK(screen);
    for (const std::string& row : screen->rows) seen += row + "\n";
    for (const char* ours : {"__wp", "/proc/1/fd", "builtin"})
      EXPECT_EQ(seen.find(ours), std::string::npos) << option << ": " << ours << "\n" << seen;
    EXPECT_NE(seen.find("hi"), std::string::npos);
  }
}

}  // namespace
}  // namespace sf::waypoint
