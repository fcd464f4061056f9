#include "explore/tasks/task.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::explore {
namespace {

TEST(TaskTest, TerminalBenchTasksAreLoaded) {
  test::TempDir dir;
  ASSERT_OK(os::make_directories(dir / "fix-it/tests"));
  ASSERT_OK(os::write_file(dir / "fix-it/task.yaml",
                           "instruction: |-\n  Fix it.\n  Now.\nmax_test_timeout_sec: 30.5\n"));
  ASSERT_OK(os::write_file(dir / "fix-it/Dockerfile", "FROM debian:12\n"));
  ASSERT_OK(os::write_file(dir / "fix-it/run-tests.sh", "true\n"));
  ASSERT_OK(os::write_file(dir / "fix-it/solution.yaml",
                           "- command: make\n  block: true\n  max_timeout_sec: 9\n"
                           "- command: C-c\n  append_enter: false\n  min_timeout_sec: 0.5\n"));
  ASSERT_OK_AND_ASSIGN(Task task, load_task(dir / "fix-it"));
  EXPECT_EQ(task.name, "fix-it");
  EXPECT_EQ(task.instruction, "Fix it.\nNow.");
  EXPECT_EQ(task.agent_timeout, seconds(360));
  EXPECT_EQ(task.grading.timeout, milliseconds(30'500));
  EXPECT_EQ(task.grading.argv, (std::vector<std::string>{"bash", "/tests/run-tests.sh"}));
  EXPECT_EQ(task.grading.env["TEST_DIR"], "/tests");
  EXPECT_EQ(task.oracle.commands,
            (std::vector<OracleCommand>{
                {.text = "make", .waits_for_end = true, .most_seconds = 9},
                {.text = "C-c", .ends_with_enter = false, .least_seconds = 0.5}}));
}

TEST(TaskTest, HarborTasksAreLoaded) {
  test::TempDir dir;
  for (const char* sub : {"t/environment", "t/tests", "t/solution"})
    ASSERT_OK(os::make_directories(dir / sub));
  ASSERT_OK(os::write_file(
      dir / "t/task.toml",
      "version = \"1.0\"\n[verifier]\ntimeout_sec = 90\n[agent]\ntimeout_sec = 120.0\n"
      "[environment]\nmemory_mb = 512\ncpus = 2\nworkdir = \"/app\"\n[environment.env]\nK = "
      "\"v\"\n[solution.env]\nS = \"x\"\n"));
  ASSERT_OK(os::write_file(dir / "t/instruction.md", "Do it."));
  ASSERT_OK(os::write_file(dir / "t/environment/Dockerfile", "FROM debian:12\n"));
  ASSERT_OK(os::write_file(dir / "t/tests/test.sh", "true\n"));
  ASSERT_OK(os::write_file(dir / "t/solution/solve.sh", "true\n"));
  ASSERT_OK_AND_ASSIGN(Task task, load_task(dir / "t"));
  EXPECT_EQ(task.instruction, "Do it.");
  EXPECT_EQ(task.agent_timeout, seconds(120));
  EXPECT_EQ(task.grading.timeout, seconds(90));
  EXPECT_EQ(task.grading.verdict, Verdict::kRewardFile);
  EXPECT_EQ(task.memory_bytes, 512U << 20U);
  EXPECT_DOUBLE_EQ(task.cpus, 2);
  EXPECT_EQ(task.workdir, "/app");
  EXPECT_EQ(task.env["K"], "v");
  EXPECT_EQ(task.oracle.script, "/solution/solve.sh");
  ASSERT_EQ(task.oracle.files.size(), 1U) << "the whole directory";
  EXPECT_EQ(task.oracle.files.front().to, "/solution");
  EXPECT_EQ(task.oracle.env, (Variables{{"S", "x"}}));
}

TEST(TaskTest, TheComposeFileNamesTheBuildDirectory) {
  EXPECT_EQ(build_from_compose("services:\n  client:\n    build: ./client\n").value().context,
            "./client");
  const std::string build = "services: {client: {build: {context: c, dockerfile: d/Dockerfile}}}";
  EXPECT_EQ(build_from_compose(build).value().dockerfile, "d/Dockerfile");
  EXPECT_EQ(build_from_compose("services: {a: {image: x}}").value().context, "");
  EXPECT_EQ(build_from_compose("services: {a: {}, b: {}}").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(build_from_compose("x: 1").error().code, ErrorCode::kInvalidArgument);

  test::TempDir dir;
  ASSERT_OK(os::make_directories(dir / "client"));
  ASSERT_OK(os::write_file(dir / "task.yaml", "instruction: x\n"));
  ASSERT_OK(os::write_file(dir / "client/Dockerfile", "FROM a\n"));
  ASSERT_OK(os::write_file(dir / "docker-compose.yaml", "services: {client: {build: client}}\n"));
  ASSERT_OK_AND_ASSIGN(Task task, load_task(dir.path()));
  EXPECT_EQ(task.context, task.directory + "/client");
  EXPECT_EQ(task.dockerfile, task.directory + "/client/Dockerfile");
}

TEST(TaskTest, NumbersOutOfRangeAreClamped) {
  EXPECT_EQ(time_limit(1.5), milliseconds(1500));
  EXPECT_EQ(time_limit(-1), milliseconds(1));
  EXPECT_EQ(time_limit(1e300), milliseconds(10'000'000'000));
  ASSERT_OK_AND_ASSIGN(Task task, task_from_toml("[environment]\nmemory_mb = -1\ncpus = -2\n"));
  EXPECT_EQ(task.memory_bytes, 0U);
  EXPECT_EQ(task.cpus, 0);
}

TEST(TaskTest, InvalidTasksAreExplained) {
  test::TempDir dir;
  EXPECT_EQ(load_task(dir.path()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(task_from_yaml("instruction: [").error().message.find("YAML"), std::string::npos);
  EXPECT_NE(task_from_yaml("name: x").error().message.find("instruction"), std::string::npos);
  EXPECT_NE(task_from_toml("a = ").error().message.find("TOML"), std::string::npos);
  EXPECT_EQ(task_from_toml("[environment]\ngpus = 1\n").error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace sf::explore
