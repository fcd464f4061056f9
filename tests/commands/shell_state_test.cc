// A command that changes its own shell has a defined result, and the driver's own shell code stays
// invisible to the user.
#include <csignal>

#include "fixture.h"

namespace sf::waypoint {
namespace {

TEST_F(CommandsTest, ExitEndsTheShellWithItsCodeAndAFreshOneWaits) {
  run("gone=1; cd /tmp");
  Observation r = run("exit 3");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(r.shell_restarted);
  EXPECT_EQ(output("echo \"[$gone]\" $PWD"), "[] /\n");
}

TEST_F(CommandsTest, ExecReplacesTheShellAndItsEndIsTheCommandsEnd) {
  Observation r = run("exec sleep 0.2");
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(r.shell_restarted);
  EXPECT_EQ(run("exec sh -c 'exit 9'").exit_code, 9);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, AKilledShellIsReportedAndReplaced) {
  Observation r = run("kill -9 $$");
  EXPECT_EQ(r.exit_code, 128 + SIGKILL);
  EXPECT_TRUE(r.shell_restarted);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, SetEEndsTheShellAtTheFirstFailure) {
  EXPECT_EQ(run("set -e; true; echo on").exit_code, 0);
  EXPECT_EQ(output("echo still $-").find('e') != std::string::npos, true);
  Observation r = run("false; echo never");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(r.shell_restarted);
  EXPECT_EQ(r.output.find("never"), std::string::npos);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, SetUReportsAnUnboundVariableAndTheShellLives) {
  Observation r = run("set -u; echo $nosuchvariable; echo never");
  EXPECT_NE(r.exit_code, 0);
  EXPECT_FALSE(r.shell_restarted);
  EXPECT_NE(r.output.find("unbound variable"), std::string::npos);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, TerminalSettingsOfTheUserStay) {
  EXPECT_EQ(output("stty -echo; echo a"), "a\n");
  EXPECT_EQ(output("stty -a | grep -o -e '-echo '"), "-echo \n");
  EXPECT_EQ(output("stty echo; stty -a | grep -ow 'echo'"), "echo\n");
  EXPECT_EQ(output("stty raw; echo b"), "b\n");
  EXPECT_EQ(output("stty sane; echo c"), "c\n");
  EXPECT_EQ(output("tty"), "/dev/pts/0\n");
}

TEST_F(CommandsTest, TracesAndTrapsShowTheUsersCommandsOnly) {
  run("trap 'echo DBG $BASH_COMMAND' DEBUG");
  Observation traced = run("echo hi");
  EXPECT_EQ(traced.output, "DBG echo hi\nhi\n");
  EXPECT_EQ(traced.background, "");
  run("trap - DEBUG; set -x");
  traced = run("echo hi");
  EXPECT_EQ(traced.output, "++ echo hi\nhi\n");
  EXPECT_EQ(traced.background, "");
  run("set +x; set -v");
  traced = run("echo hi");
  EXPECT_EQ(traced.output, "echo hi\nhi\n");
  EXPECT_EQ(traced.background, "");
  run("set +v; trap 'echo RET' RETURN");
  traced = run("echo hi");
  EXPECT_EQ(traced.output, "hi\n");
  EXPECT_EQ(traced.background, "");
}

TEST_F(CommandsTest, PromptAndPromptCommandDoNotTouchTheOutput) {
  run("PS1='prompt> '; PROMPT_COMMAND='echo before-prompt'");
  EXPECT_EQ(output("echo hi"), "hi\n");
  EXPECT_EQ(output("echo again"), "again\n");
  EXPECT_EQ(run("unset PROMPT_COMMAND; PS1=").exit_code, 0);
}

TEST_F(CommandsTest, ClearLeavesCleanText) {
  Observation r = run("clear; echo cleared");
  EXPECT_EQ(r.output, "cleared\n");
  EXPECT_NE(r.raw.find('\x1b'), std::string::npos);
}

TEST_F(CommandsTest, StatusLastArgumentAndHistoryAreTheUsers) {
  run("true first second");
  EXPECT_EQ(output("echo \"$_\""), "second\n");
  run("(exit 17)");
  EXPECT_EQ(output("echo $?"), "17\n");
  EXPECT_EQ(output("history 2 | sed 's/^ *[0-9]* *//'"),
            "echo $?\nhistory 2 | sed 's/^ *[0-9]* *//'\n");
  EXPECT_EQ(output("declare -p | grep __wp; declare -F; compgen -A alias"), "");
  EXPECT_EQ(output("set -- a b c"), "");
  EXPECT_EQ(output("echo $# ${FUNCNAME[@]}"), "3\n");
}

TEST_F(CommandsTest, FunctionsAndAliasesOfAnyNameDoNotBreakThePlumbing) {
  run("echo() { command printf 'mine\\n'; }; read() { :; }; printf() { :; }; eval() { :; }; "
      "return() { :; }");
  run("alias echo=false read=false printf=false history=false unset=false");
  EXPECT_EQ(run("command printf 'works\\n'").output, "works\n");
  EXPECT_EQ(run("(exit 5)").exit_code, 5);
}

TEST_F(CommandsTest, RedirectedStandardStreamsOfTheShellDoNotHideTheEnd) {
  EXPECT_EQ(run("exec >/tmp/log 2>&1; echo into the log").output, "");
  EXPECT_EQ(run("(exit 8)").exit_code, 8);
  EXPECT_EQ(run("exec >/dev/tty 2>&1; cat /tmp/log").output, "into the log\n");
}

TEST_F(CommandsTest, TheShellIsAnInteractiveTerminalWithASaneEnvironment) {
  EXPECT_EQ(output("test -t 0 && test -t 1 && echo tty"), "tty\n");
  EXPECT_EQ(output("echo $HOME $USER $LANG $TERM $SHELL"),
            "/root root C.UTF-8 xterm-256color /bin/bash\n");
  EXPECT_EQ(output("env | grep -c STATEFORK"), "0\n");
  EXPECT_EQ(output("stty size"), "40 160\n");
  EXPECT_EQ(output("hostname; pwd; id -un"), "waypoint\n/\nroot\n");
}

TEST_F(CommandsTest, AnOrdinaryUserCanOwnTheSession) {
  branch_ = start({.user = "nobody", .cwd = "/tmp", .env = {{"COLOR", "blue"}}});
  EXPECT_EQ(output("id -un; echo $COLOR; pwd; tty"), "nobody\nblue\n/tmp\n/dev/pts/0\n");
  EXPECT_EQ(run("touch /etc/x").exit_code, 1);
  EXPECT_EQ(run("exit 4").exit_code, 4);
  EXPECT_EQ(output("id -u; echo fine >/dev/tty"), "65534\nfine\n");
}

}  // namespace
}  // namespace sf::waypoint
