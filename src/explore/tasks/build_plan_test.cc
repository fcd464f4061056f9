#include "explore/tasks/build_plan.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::explore {
namespace {

Result<BuildPlan> plan(const std::string& text, const ImageDefaults& defaults = {}) {
  SF_TRY_ASSIGN(std::vector<Instruction> instructions, parse_dockerfile(text));
  return plan_build(instructions, defaults);
}

TEST(BuildPlanTest, RunUsesTheEnvironmentAndDirectorySetBeforeIt) {
  ASSERT_OK_AND_ASSIGN(
      BuildPlan made,
      plan("FROM debian:12\nENV A=1\nWORKDIR /app\nRUN echo \"it's $A\"\nENV B=2\n"));
  EXPECT_EQ(made.from, "debian:12");
  ASSERT_EQ(made.steps.size(), 2U);
  EXPECT_EQ(made.steps[0].command, "mkdir -p -- '/app'");
  EXPECT_EQ(made.steps[1].command,
            "( cd -- '/app' && env 'A=1' '/bin/sh' '-c' 'echo \"it'\\''s $A\"' </dev/null )");
  EXPECT_EQ(made.env, (std::map<std::string, std::string>{{"A", "1"}, {"B", "2"}}));
  EXPECT_EQ(entering_command(made), "cd -- '/app'; export 'A=1'; export 'B=2'");
}

TEST(BuildPlanTest, TheBuildStartsWithTheSettingsOfTheImage) {
  ASSERT_OK_AND_ASSIGN(BuildPlan made, plan("FROM x\nENV P=$P:/opt\nWORKDIR sub\n",
                                            {.env = {{"P", "/bin"}}, .workdir = "/srv"}));
  EXPECT_EQ(made.env["P"], "/bin:/opt");
  EXPECT_EQ(made.workdir, "/srv/sub");
}

TEST(BuildPlanTest, ShellUserAndExecFormAreSupported) {
  ASSERT_OK_AND_ASSIGN(
      BuildPlan made,
      plan("FROM x\nSHELL [\"/bin/bash\", \"-ec\"]\nRUN a\nUSER joe\nRUN [\"b\", \"c d\"]\n"));
  EXPECT_EQ(made.steps[0].command, "( cd -- '/' && env '/bin/bash' '-ec' 'a' </dev/null )");
  EXPECT_EQ(
      made.steps[1].command,
      "su -s /bin/sh -c 'cd -- '\\''/'\\'' && env '\\''b'\\'' '\\''c d'\\'' </dev/null' -- 'joe'");
}

TEST(BuildPlanTest, CopyTargetsAreResolved) {
  ASSERT_OK_AND_ASSIGN(BuildPlan made,
                       plan("FROM x\nWORKDIR /app\nCOPY --chown=a:b one two dir/\nCOPY one .\nADD "
                            "x.tar /data\nCOPY one /etc/two\n"));
  const BuildStep& two = made.steps[1];
  EXPECT_EQ(two.target, "/app/dir/");
  EXPECT_TRUE(two.into_directory);
  EXPECT_EQ(two.sources.size(), 2U);
  EXPECT_EQ(two.chown, "a:b");
  EXPECT_EQ(made.steps[2].target, "/app");
  EXPECT_TRUE(made.steps[2].into_directory);
  EXPECT_TRUE(made.steps[3].unpacks);
  EXPECT_FALSE(made.steps[4].into_directory);
}

TEST(BuildPlanTest, HereDocumentsBecomeFilesAndScripts) {
  ASSERT_OK_AND_ASSIGN(
      BuildPlan made,
      plan("FROM x\nENV A=1\nCOPY <<EOT /f\nvalue $A\nEOT\nRUN <<EOT\necho one\necho two\nEOT\n"
           "COPY <<'EOT' /g\nraw $A\nEOT\n"));
  EXPECT_EQ(made.steps[0].sources.front().content, "value 1\n");
  EXPECT_NE(made.steps[1].command.find("'echo one\necho two\n'"), std::string::npos)
      << made.steps[1].command;
  EXPECT_EQ(made.steps[2].sources.front().content, "raw $A\n");
}

TEST(BuildPlanTest, BuildArgumentsAreNotInTheShell) {
  ASSERT_OK_AND_ASSIGN(BuildPlan made, plan("ARG TAG=12\nFROM debian:$TAG\nARG X=5\nRUN echo "
                                            "$X\nENTRYPOINT serve it\nCMD [\"a\"]\n"));
  EXPECT_EQ(made.from, "debian:12");
  EXPECT_NE(made.steps[0].command.find("'X=5'"), std::string::npos);
  EXPECT_FALSE(made.env.contains("X"));
  EXPECT_EQ(made.entrypoint, (std::vector<std::string>{"/bin/sh", "-c", "serve it"}));
}

TEST(BuildPlanTest, UnsupportedInstructionsAreReportedWithTheirLine) {
  auto expect = [](const std::string& text, ErrorCode code, const std::string& words) {
    auto made = plan(text);
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_EQ(made.error().code, code) << text;
    EXPECT_NE(made.error().message.find(words), std::string::npos) << made.error().message;
  };
  expect("FROM a AS b\nFROM c\n", ErrorCode::kUnsupported, "line 2");
  expect("FROM a\nCOPY --from=b x y\n", ErrorCode::kUnsupported, "line 2");
  expect("FROM a\nADD https://x/y /z\n", ErrorCode::kUnsupported, "downloads");
  expect("FROM a\nONBUILD RUN x\n", ErrorCode::kUnsupported, "ONBUILD");
  expect("RUN x\n", ErrorCode::kInvalidArgument, "before FROM");
  expect("FROM a\nCOPY x\n", ErrorCode::kInvalidArgument, "source and a target");
}

}  // namespace
}  // namespace sf::explore
