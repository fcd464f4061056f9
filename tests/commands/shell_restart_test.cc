// A shell that ends is replaced. If it cannot be replaced, the error gives the reason, init stays
// idle, and a shell starts as soon as it can.
#include <cctype>
#include <sstream>

#include "fixture.h"

namespace sf::waypoint {
namespace {

// Processor time of the branch's init, which grows fast if init restarts shells in a loop.
long init_ticks(Waypoint& wp, const BranchId& branch) {
  auto stat = wp.side_exec(branch, {.argv = {"cat", "/proc/1/stat"}});
  EXPECT_TRUE(stat.ok());
  std::istringstream fields(stat->standard_output.substr(stat->standard_output.rfind(')') + 2));
  std::string word;
  for (int i = 0; i < 11; ++i) fields >> word;
  long user = 0;
  long system = 0;
  fields >> user >> system;
  return user + system;
}

TEST_F(CommandsTest, AShellWhoseDirectoryIsGoneStartsAtTheRoot) {
  ASSERT_OK(wp_->side_exec(branch_ = start({.cwd = "/srv"}), {.argv = {"true"}}));
  Observation ended = run("cd /; rm -rf /srv; exit 4");
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_TRUE(ended.shell_restarted);
  EXPECT_EQ(output("pwd"), "/\n");
  run("mkdir /srv; exit");
  EXPECT_EQ(output("pwd"), "/srv\n");
}

// The command's result arrives before the new shell has started. The checkpoint must wait for the
// new shell: copies of a shell that had not taken its terminal lacked job control or ignored keys.
TEST_F(CommandsTest, CheckpointAfterAShellEndedHasAUsableShell) {
  const std::string options = output("echo $-");
  for (const char* end : {"exit 3", "set -e; false", "kill -9 $$", "exit 3", "exit 3", "exit 3"}) {
    EXPECT_TRUE(run(end).shell_restarted) << end;
    auto taken = wp_->checkpoint(branch_);
    ASSERT_OK(taken);
    EXPECT_EQ(output("echo $-"), options) << end;
    ASSERT_OK(wp_->restore(branch_, taken->id));
    EXPECT_EQ(output("echo $-"), options) << end << ", restored";
    for (auto& fork : wp_->fork(taken->id, 2)) {
      ASSERT_OK(fork);
      auto seen = wp_->exec(*fork, {.command = "echo $-"});
      ASSERT_OK(seen);
      EXPECT_EQ(seen->output, options) << end << ", forked";
      ASSERT_OK(wp_->end(*fork));
    }
  }
}

TEST_F(CommandsTest, ShellThatCannotStartIsReportedAndStartsOnceItCan) {
  run("true");
  EXPECT_TRUE(run("mv /bin/bash /bin/elsewhere; exit").shell_restarted);
  for (int i = 0; i < 2; ++i) {
    auto refused = wp_->exec(branch_, {.command = "true"});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("running bash"), std::string::npos)
        << refused.error().describe();
  }
  long before = init_ticks(*wp_, branch_);
  auto waited = wp_->side_exec(branch_, {.argv = {"sleep", "0.5"}});
  ASSERT_OK(waited);
  EXPECT_LE(init_ticks(*wp_, branch_) - before, 10);  // in ticks of 1/100 s
  ASSERT_OK(wp_->side_exec(branch_, {.argv = {"mv", "/bin/elsewhere", "/bin/bash"}}));
  EXPECT_EQ(output("echo back"), "back\n");
}

TEST_F(CommandsTest, ShellThatEndsImmediatelyIsNotRestartedInALoop) {
  run("true");
  EXPECT_TRUE(run("cp /bin/bash /bin/elsewhere; cp --remove-destination /bin/true /bin/bash; exit")
                  .shell_restarted);
  auto refused = wp_->exec(branch_, {.command = "true"});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("ends as soon as it starts"), std::string::npos)
      << refused.error().describe();
  ASSERT_OK(wp_->side_exec(branch_, {.argv = {"mv", "/bin/elsewhere", "/bin/bash"}}));
  EXPECT_EQ(output("echo back"), "back\n");
}

// An ordinary user may kill the process that hands commands to the shell, at any moment of a
// command.
TEST_F(CommandsTest, EachCommandRunsOnceWhileTheHolderIsKilledRepeatedly) {
  branch_ = start({.user = "nobody", .cwd = "/tmp"});
  run("(while :; do for d in /proc/[0-9]*; do read -r name < $d/comm && [[ $name == "
      "waypoint-holder ]] && kill -9 ${d#/proc/} && echo killed >> kills; done; read -rt "
      "0.0$((RANDOM % 10)) < <(:); done) 2>/dev/null & disown");
  std::string expected;
  for (int i = 0; i < 40; ++i) {
    if (i == 20) run("set -eu");
    const std::string number = std::to_string(i);
    const Observation ran =
        run("echo " + number + " >> ran; [ " + number + " -ge 20 ] || (exit " + number + ")");
    EXPECT_EQ(ran.exit_code, i < 20 ? i : 0);
    EXPECT_FALSE(ran.shell_restarted);
    expected += number + "\n";
  }
  EXPECT_EQ(output("cat ran"), expected);
  EXPECT_NE(output("cat kills"), "");
}

TEST_F(CommandsTest, ACommandRunsOnceWhenTheShellIsSlowToReadIt) {
  const std::string shell = output("echo -n $$");
  ASSERT_OK(wp_->side_exec(branch_, {.argv = {"kill", "-STOP", shell}}));
  ASSERT_OK(wp_->side_exec(
      branch_, {.argv = {"sh", "-c", "(sleep 1; kill -CONT $0) >/dev/null 2>&1 &", shell}}));
  run("echo slow >> /tmp/ran");
  run("echo next >> /tmp/ran");
  EXPECT_EQ(output("cat /tmp/ran"), "slow\nnext\n");
}

TEST_F(CommandsTest, ASideCommandWithTooManyWordsIsRefusedAndTheNextOneRuns) {
  branch_ = start();
  std::vector<std::string> many(100'000, "x");
  many.insert(many.begin(), "true");
  auto refused = wp_->side_exec(branch_, {.argv = many, .timeout = seconds(10)});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument) << refused.error().describe();
  many.resize(20'000);
  ASSERT_OK_AND_ASSIGN(SideObservation fits, wp_->side_exec(branch_, {.argv = many}));
  EXPECT_EQ(fits.exit_code, 0);
}

TEST_F(CommandsTest, OutputLimitAboveTheReplySizeIsRefusedBeforeTheCommandRuns) {
  branch_ = start();
  auto refused = wp_->exec(branch_, {.command = "touch /ran", .max_output = 1U << 30U});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run("test -e /ran").exit_code, 1);
}

TEST_F(CommandsTest, EnvironmentValuesMayHoldAnyByte) {
  branch_ = start({.env = {{"LATIN", "caf\xe9"}, {"UTF", "caf\xc3\xa9"}}});
  EXPECT_EQ(output("printf %s \"$LATIN\" | od -An -tx1; printf %s \"$UTF\" | od -An -tx1"),
            " 63 61 66 e9\n 63 61 66 c3 a9\n");
}

// Output of a command right after the previous one ended the shell: the last process has closed the
// terminal, and the next shell may not have opened it yet.
class OutputAfterRestart : public CommandsTest, public ::testing::WithParamInterface<const char*> {
 protected:
  static constexpr int kRounds = 50;
  void end_shell() { ASSERT_TRUE(run(GetParam()).shell_restarted); }
};

TEST_P(OutputAfterRestart, LargeOutputArrivesWhole) {
  std::string expected;
  for (int i = 1; i <= 180'000; ++i) expected += std::to_string(i) + "\n";
  ASSERT_GT(expected.size(), 1U << 20U);
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(end_shell());
    auto seen = wp_->exec(
        branch_,
        {.command = "seq 180000", .timeout = seconds(20), .max_output = 2 * expected.size()});
    ASSERT_OK(seen);
    ASSERT_FALSE(seen->timed_out) << "round " << round << ": " << seen->output_bytes << " bytes";
    ASSERT_TRUE(seen->output == expected) << "round " << round;
  }
}

TEST_P(OutputAfterRestart, BinaryOutputArrivesWhole) {
  run("printf '%b' \"$(printf '\\\\x%02x' {1..255})\" >/bytes; "
      "for i in {1..300}; do cat /bytes; done >/many");
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(end_shell());
    Observation seen = run("stty -opost; cat /many", seconds(20));
    ASSERT_FALSE(seen.timed_out) << "round " << round;
    ASSERT_EQ(seen.raw.size(), 255U * 300U) << "round " << round;
    for (std::size_t i = 0; i < seen.raw.size(); ++i)
      ASSERT_EQ(static_cast<unsigned char>(seen.raw[i]), i % 255 + 1) << "round " << round;
  }
}

// bash restores the terminal settings that it found at its start, or after the last program that
// exited normally.
TEST_P(OutputAfterRestart, TheTerminalEchoesAfterASignalEndedAProgram) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(end_shell());
    run("sh -c 'kill -QUIT $$'");
    ASSERT_EQ(output("stty -a | grep -ow -e -echo -e echo"), "echo\n") << "round " << round;
  }
}

TEST_P(OutputAfterRestart, KeysReachTheNextCommand) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(end_shell());
    Status typed = Ok{};
    bool asked = false;
    auto answer = [&](std::string_view bytes) {
      if (asked || bytes.find("name?") == std::string_view::npos) return;
      asked = true;
      auto sent = wp_->send_keys(branch_, "somebody\n");
      if (!sent.ok()) typed = std::move(sent).error();
    };
    auto seen = wp_->exec(branch_,
                          {.command = "stty -echo; echo name?; read -r x; seq 20000; echo hello $x",
                           .timeout = seconds(20)},
                          answer);
    ASSERT_OK(seen);
    ASSERT_OK(typed);
    ASSERT_FALSE(seen->timed_out) << "round " << round;
    ASSERT_TRUE(seen->output.ends_with("\n20000\nhello somebody\n")) << "round " << round;
  }
}

TEST_P(OutputAfterRestart, BackgroundOutputIsReadWhileNoCommandRuns) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(end_shell());
    // Output that the job prints before this command's end is reported belongs to the command.
    Observation begun = run("rm -f /done; (seq 30000; touch /done) & disown");
    // The output exceeds the terminal's buffer, so the job ends only if the keeper reads.
    auto waited =
        wp_->side_exec(branch_, {.argv = {"sh", "-c", "while ! [ -e /done ]; do sleep 0.01; done"},
                                 .timeout = seconds(20)});
    ASSERT_OK(waited);
    ASSERT_FALSE(waited->timed_out) << "round " << round;
    Observation next = run("true");
    ASSERT_NE((begun.output + next.background).find("\n30000\n"), std::string::npos)
        << "round " << round << ": " << begun.output.size() << " bytes, then "
        << next.background.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Ends, OutputAfterRestart,
                         ::testing::Values("exit 3", "exec true", "kill -9 $$", "set -e; false"),
                         [](const auto& way) {
                           std::string name;
                           for (char c : std::string(way.param))
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           return name;
                         });

}  // namespace
}  // namespace sf::waypoint
