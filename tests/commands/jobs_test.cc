// Timeouts, background jobs and signals: the shell stays usable and no output is lost.
#include <csignal>

#include "fixture.h"

namespace sf::waypoint {
namespace {

constexpr milliseconds kShort(700);

TEST_F(CommandsTest, ATimeoutReturnsThePartialOutputAndLeavesAUsableShell) {
  run("kept=yes");
  Observation r = run("echo begun; sleep 1000", kShort);
  EXPECT_TRUE(r.timed_out);
  EXPECT_EQ(r.exit_code, 128 + SIGINT);
  EXPECT_TRUE(r.output.starts_with("begun\n"));
  EXPECT_FALSE(r.shell_restarted);
  EXPECT_EQ(output("echo $kept; jobs; pgrep sleep"), "yes\n");
}

TEST_F(CommandsTest, ATimeoutEndsLoopsOfTheShellItself) {
  EXPECT_TRUE(run("while :; do :; done", kShort).timed_out);
  EXPECT_TRUE(run("while :; do sleep 100; done", kShort).timed_out);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, ATimeoutEndsACommandThatIgnoresSignals) {
  Observation r = run("sh -c 'trap \"\" INT TERM; while :; do sleep 100; done'", kShort);
  EXPECT_TRUE(r.timed_out);
  EXPECT_EQ(output("echo fine; pgrep -c sleep"), "fine\n0\n");
}

TEST_F(CommandsTest, ATimeoutWithoutJobControlEndsTheCommandAndKeepsTheShell) {
  run("set +m; kept=yes; sleep 2000 & other=$!");
  const char* commands[] = {"sleep 1000", "sleep 1000 | cat", "while :; do sleep 100; done",
                            "sh -c 'trap \"\" INT; sleep 1000; :'",
                            "sh -c 'trap \"\" INT TERM; while :; do sleep 100; done'"};
  for (const char* command : commands) {
    Observation r = run(command, kShort);
    EXPECT_TRUE(r.timed_out) << command;
    EXPECT_FALSE(r.shell_restarted) << command;
    // Killed processes may take a moment to disappear.
    EXPECT_EQ(output("echo $kept; for ((i = 0; i < 500; ++i)); do [[ $(pgrep -c sleep) = 1 ]] && "
                     "break; done; pgrep -c sleep; kill -0 $other && echo spared"),
              "yes\n1\nspared\n")
        << command;
  }
  run("kill $other; set -m");
}

TEST_F(CommandsTest, ACommandThatReadsInputWaitsForKeysOrItsTimeout) {
  Observation r = run("read line; echo got $line", kShort);
  EXPECT_TRUE(r.timed_out);
  EXPECT_EQ(output("echo fine"), "fine\n");
  EXPECT_TRUE(run("cat", kShort).timed_out);
  EXPECT_EQ(output("cat </dev/null; echo fine"), "fine\n");
}

TEST_F(CommandsTest, AnInterruptedCommandReportsThatItWasInterrupted) {
  Observation r = run("sh -c 'kill -INT $$'; echo never");
  EXPECT_EQ(r.exit_code, 130);
  EXPECT_EQ(r.output.find("never"), std::string::npos);
  EXPECT_EQ(run("kill -INT $$; echo never").exit_code, 130);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, ABackgroundJobDoesNotHoldTheCommand) {
  Observation r = run("sleep 1000 &");
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_LT(r.duration, seconds(30));
  EXPECT_EQ(output("jobs"), "[1]+  Running                 sleep 1000 &\n");
  run("kill %1; wait");
}

TEST_F(CommandsTest, AJobThatPrintsInPiecesNeverBreaksAnotherCommandsResult) {
  std::string all =
      output("(for i in $(seq 1 200); do printf 'p%s ' $i; done; touch /tmp/printed) &");
  for (int i = 0; i < 50; ++i) {
    Observation r = run("(exit 6)");
    EXPECT_EQ(r.exit_code, 6);
    all += r.background + r.output;
  }
  ASSERT_OK(
      wp_->side_exec(branch_, {.argv = {"sh", "-c", "until test -e /tmp/printed; do :; done"}}));
  Observation last = run("wait; echo end");
  all += last.background + last.output;
  std::size_t at = 0;
  for (int i = 1; i <= 200; ++i) {
    at = all.find("p" + std::to_string(i) + " ", at);
    ASSERT_NE(at, std::string::npos) << "piece " << i << " is missing in: " << all;
  }
}

TEST_F(CommandsTest, LateOutputOfAJobIsReportedWithTheNextCommand) {
  run("mkfifo /tmp/go; (read x </tmp/go; echo later; touch /tmp/said) &");
  ASSERT_OK(wp_->side_exec(
      branch_, {.argv = {"sh", "-c", "echo >/tmp/go; until test -e /tmp/said; do :; done"}}));
  Observation r = run("echo now");
  EXPECT_EQ(r.output, "now\n");
  EXPECT_TRUE(r.background.starts_with("later\n")) << r.background;
}

TEST_F(CommandsTest, StoppedJobsAndFgWork) {
  run("sh -c 'kill -STOP $$; echo resumed'");
  EXPECT_NE(output("jobs").find("Stopped"), std::string::npos);
  EXPECT_NE(output("fg").find("resumed\n"), std::string::npos);
}

TEST_F(CommandsTest, BranchSurvivesAForkBombUnderAPidsLimit) {
  branch_ = start({.limits = {.pids = 64}});
  const std::string count = "set -- /proc/[0-9]*; echo $#";  // forks no process
  const std::string before = output(count);
  Observation r =
      run("bomb() { bomb | bomb & }; bomb 2>/dev/null; "
          "until set -- /proc/[0-9]*; (( $# > 50 )); do :; done",
          milliseconds(30'000));
  EXPECT_FALSE(r.timed_out) << "the bomb never came near the limit";
  Deadline deadline = Deadline::after(seconds(30));
  // The bomb reuses freed pids: kill everything except init and the shell until no process is left.
  for (;;) {
    auto killed = wp_->exec(
        branch_, {.command = "kill -9 -1 2>/dev/null; echo $$", .timeout = milliseconds(3000)});
    auto left = wp_->exec(branch_, {.command = count, .timeout = milliseconds(3000)});
    if (killed && left && left->output == before) break;
    ASSERT_FALSE(deadline.passed()) << (left ? left->output : left.error().message);
  }
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, SideCommandsHaveSeparateStreamsAndNoTerminal) {
  branch_ = start();
  run("shellvar=1; cd /tmp; echo data >file");
  ASSERT_OK_AND_ASSIGN(
      SideObservation r,
      wp_->side_exec(branch_,
                     {.argv = {"sh", "-c", "cat; echo err >&2; tty; pwd; cat /tmp/file; exit 4"},
                      .input = std::string("in\0put\n", 7)}));
  EXPECT_EQ(r.exit_code, 4);
  EXPECT_EQ(r.standard_output, std::string("in\0put\nnot a tty\n/\ndata\n", 24));
  EXPECT_EQ(r.standard_error, "err\n");
  EXPECT_EQ(output("echo $shellvar"), "1\n");
}

TEST_F(CommandsTest, SideCommandsTakeUserDirectoryAndEnvironment) {
  branch_ = start();
  ASSERT_OK_AND_ASSIGN(SideObservation r,
                       wp_->side_exec(branch_, {.argv = {"sh", "-c", "id -un; pwd; echo $GREETING"},
                                                .env = {{"GREETING", "hello"}},
                                                .cwd = "/usr",
                                                .user = "nobody"}));
  EXPECT_EQ(r.standard_output, "nobody\n/usr\nhello\n");
  auto missing = wp_->side_exec(branch_, {.argv = {"no-such-program"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(wp_->side_exec(branch_, {.argv = {"id"}, .user = "no-such-user"}).ok());
  EXPECT_FALSE(wp_->side_exec(branch_, {.argv = {}}).ok());
}

TEST_F(CommandsTest, SideCommandIsFoundThroughItsOwnPath) {
  branch_ = start();
  run("mkdir /tools; printf '#!/bin/sh\necho $0\n' | tee /usr/local/bin/tool >/tools/tool; "
      "chmod 755 /tools/tool /usr/local/bin/tool");
  ASSERT_OK_AND_ASSIGN(SideObservation usual, wp_->side_exec(branch_, {.argv = {"tool"}}));
  EXPECT_EQ(usual.standard_output, "/usr/local/bin/tool\n");
  ASSERT_OK_AND_ASSIGN(
      SideObservation given,
      wp_->side_exec(branch_, {.argv = {"tool"}, .env = {{"PATH", "/tools:/bin"}}}));
  EXPECT_EQ(given.standard_output, "/tools/tool\n");
}

TEST_F(CommandsTest, ASideCommandRunsBesideABusyShellAndTimesOutAlone) {
  branch_ = start();
  ASSERT_OK_AND_ASSIGN(SideObservation slow,
                       wp_->side_exec(branch_, {.argv = {"sleep", "1000"}, .timeout = kShort}));
  EXPECT_TRUE(slow.timed_out);
  EXPECT_EQ(slow.exit_code, 128 + SIGTERM);
  std::string big(3'000'000, 'z');
  ASSERT_OK_AND_ASSIGN(SideObservation count,
                       wp_->side_exec(branch_, {.argv = {"wc", "-c"}, .input = big}));
  EXPECT_EQ(count.standard_output, "3000000\n");
  EXPECT_EQ(output("echo fine"), "fine\n");
}

}  // namespace
}  // namespace sf::waypoint
