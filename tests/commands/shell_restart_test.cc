// A shell that ends is replaced; one that cannot be replaced says why, costs nothing, and comes
// back once it can.
#include <sstream>

#include "fixture.h"

namespace sf::waypoint {
namespace {

// Processor time of the branch's init: one that starts shells in a circle uses much.
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
  ExecResult ended = run("cd /; rm -rf /srv; exit 4");
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_TRUE(ended.shell_restarted);
  EXPECT_EQ(output("pwd"), "/\n");
  run("mkdir /srv; exit");
  EXPECT_EQ(output("pwd"), "/srv\n");
}

TEST_F(CommandsTest, AShellThatCannotStartSaysWhyAndComesBackWhenItCan) {
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
  EXPECT_LE(init_ticks(*wp_, branch_) - before, 10);  // of 100 a second
  ASSERT_OK(wp_->side_exec(branch_, {.argv = {"mv", "/bin/elsewhere", "/bin/bash"}}));
  EXPECT_EQ(output("echo back"), "back\n");
}

TEST_F(CommandsTest, AShellThatEndsAtOnceIsNotStartedInACircle) {
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

// An ordinary user may kill what hands the shell its commands, at any moment of a command.
TEST_F(CommandsTest, CommandsRunOnceEachWhileTheirHolderIsKilledAgainAndAgain) {
  branch_ = start({.user = "nobody", .cwd = "/tmp"});
  run("(while :; do for d in /proc/[0-9]*; do read -r name < $d/comm && [[ $name == "
      "waypoint-holder ]] && kill -9 ${d#/proc/} && echo killed >> kills; done; read -rt "
      "0.0$((RANDOM % 10)) < <(:); done) 2>/dev/null & disown");
  std::string expected;
  for (int i = 0; i < 40; ++i) {
    if (i == 20) run("set -eu");
    const std::string number = std::to_string(i);
    const ExecResult ran =
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
  ASSERT_OK_AND_ASSIGN(SideExecResult fits, wp_->side_exec(branch_, {.argv = many}));
  EXPECT_EQ(fits.exit_code, 0);
}

TEST_F(CommandsTest, MoreOutputThanOneAnswerHoldsIsRefusedBeforeTheCommandRuns) {
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

}  // namespace
}  // namespace sf::waypoint
