// The terminal behaves the same in every substrate: difficult cases of the command protocol over
// each backend that has its shell driven by the agent, and a restarted daemon.
#include <algorithm>
#include <memory>
#include <thread>

#include "../backends/world.h"
#include "engines.h"

namespace sf::test {
namespace {

using control::BranchId;
using control::NodeId;
using control::StartConfig;

class AgentShellTest : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { engines = std::make_unique<Engines>(); }
  static void TearDownTestSuite() { engines.reset(); }
  static inline std::unique_ptr<Engines> engines;  // started once for all tests

  static std::string backend() { return GetParam(); }
  void SetUp() override {
    ASSERT_OK(engines->prepare(backend()));
    world_ = std::make_unique<World>(engines->tools());
  }
  void build(StartConfig config = {}) {
    config.root = Engines::root();
    world_->build(backend(), "eager", config);
    if (HasFatalFailure()) GTEST_FAIL();
  }
  Observation run(const std::string& command, milliseconds timeout = seconds(60)) {
    auto seen = world_->session().exec_command(kMain, {.command = command, .timeout = timeout});
    EXPECT_OK(seen) << command;
    return seen ? *seen : Observation{};
  }
  std::unique_ptr<World> world_;
};

INSTANTIATE_TEST_SUITE_P(Backends, AgentShellTest,
                         ::testing::Values("docker", "podman", "podman-commit", "gvisor", "vm"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(AgentShellTest, CommandsAreByteExactAndTheShellOutlivesThem) {
  build({.hostname = "inside", .env = {{"GREETING", "hello"}}});
  EXPECT_EQ(run("echo $GREETING; hostname; (exit 7)").output, "hello\ninside\n");
  EXPECT_EQ(run("(exit 7)").exit_code, 7);
  EXPECT_EQ(run("printf 'no end'; x=kept").output, "no end");
  EXPECT_EQ(run("cat <<'E'\n$x \\ \"'\nE").output, "$x \\ \"'\n");
  EXPECT_EQ(run("head -c 3000000 /dev/zero | tr '\\0' x").output_bytes, 3'000'000U);
  Observation ended = run("exit 3");
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(ended.shell_restarted);
  EXPECT_EQ(run("echo \"[$x]\"").output, "[]\n");
  // Spares the calling shell and PID 1, which is the agent, but may kill the process that connects
  // to the sandbox.
  auto killed = world_->session().exec_command(kMain, {.command = "kill -9 -1"});
  EXPECT_TRUE(killed.ok() || killed.error().code == ErrorCode::kOs) << killed.error().describe();
  EXPECT_EQ(run("echo alive").output, "alive\n");
}

TEST_P(AgentShellTest, ATimeOutLeavesAUsableShell) {
  build();
  Observation late = run("echo begun; sleep 1000", milliseconds(1500));
  EXPECT_TRUE(late.timed_out);
  EXPECT_TRUE(late.output.starts_with("begun\n")) << late.output;
  EXPECT_EQ(run("echo next").output, "next\n");
}

TEST_P(AgentShellTest, BackgroundJobsAreReported) {
  build();
  EXPECT_TRUE(run("sleep 1000 &").left_background);
  EXPECT_FALSE(run("true").left_background);
  EXPECT_EQ(run("jobs -r | wc -l").output, "1\n");
  run("kill %1; wait");
  EXPECT_EQ(run("jobs -r | wc -l").output, "0\n");
}

TEST_P(AgentShellTest, KeysAnswerAReadingCommandAndShowOnTheScreen) {
  build({.rows = 24, .cols = 80});
  std::thread typing([this] {
    for (Deadline patience = Deadline::after(seconds(30)); !patience.passed();) {
      auto shown = world_->session().screen(kMain, 0);
      if (shown && std::ranges::find(shown->rows, "name?") != shown->rows.end()) break;
      std::this_thread::sleep_for(milliseconds(20));
    }
    EXPECT_OK(world_->session().send_keys(kMain, "agent\r"));
  });
  // The prompt has no final newline, because the keys could be echoed between a newline and the
  // text.
  EXPECT_EQ(run("read -r -p 'name?' name; echo \"got $name\"").output, "name?agent\ngot agent\n");
  typing.join();
}

TEST_P(AgentShellTest, FilesGoInAndOutWithoutTheShell) {
  build();
  const std::string bytes("any \0 bytes\xff\n", 12);
  ASSERT_OK(world_->session().write_file(kMain, "/root/in", bytes));
  EXPECT_EQ(run("wc -c </root/in").output, "12\n");
  ASSERT_OK_AND_ASSIGN(std::string out, world_->session().read_file(kMain, "/root/in", 1000));
  EXPECT_EQ(out, bytes);
  EXPECT_EQ(world_->session().read_file(kMain, "/root", 1000).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_P(AgentShellTest, ShellMayBelongToAnOrdinaryUser) {
  build({.user = "nobody", .cwd = "/tmp"});
  EXPECT_EQ(run("id -un; pwd; echo x >/root/f || echo denied").output.substr(0, 12),
            "nobody\n/tmp\n");
  const std::string drawn = run("n=$SRANDOM; echo $n").output;  // a rerun gives another number
  NodeId here = world_->snapshot();
  world_->restore(here);
  EXPECT_EQ(run("id -un").output, "nobody\n");
  const bool keeps_shell = world_->backend().preserves().has(control::Preserves::kShell);
  EXPECT_EQ(run("echo $n").output == drawn, keeps_shell);
}

TEST_P(AgentShellTest, RestartedDaemonFindsEverythingAndForksRunSideBySide) {
  build();
  run("echo one >/root/f");
  NodeId one = world_->snapshot();
  run("echo two >/root/f");
  world_->restart();
  EXPECT_EQ(run("cat /root/f").output, "two\n");
  EXPECT_EQ(world_->orphans, 0U);
  ASSERT_OK_AND_ASSIGN(control::ForkReport forks,
                       world_->session().fork(kMain, one.value(), {.count = 2}));
  ASSERT_EQ(forks.branches.size(), 2U);
  for (const auto& fork : forks.branches) {
    ASSERT_OK(fork);
    EXPECT_EQ(world_->run("cat /root/f; echo other >/root/f", *fork), "one");
  }
  EXPECT_EQ(run("cat /root/f").output, "two\n");
  world_->restore(one);
  EXPECT_EQ(run("cat /root/f").output, "one\n");
  EXPECT_TRUE(world_->disagreements().empty());
}

TEST_P(AgentShellTest, UnsupportedConfigurationIsRefused) {
  auto made = world_->registry().make(backend());
  ASSERT_OK(made);
  const std::string root = Engines::root();
  auto refused = [&](const StartConfig& config) {
    auto started = (*made)->start(config);
    if (started.ok()) (void)(*made)->end(*started);
    return !started.ok() && started.error().code == ErrorCode::kUnsupported &&
           !started.error().hint.empty();
  };
  EXPECT_TRUE(refused({.root = root, .extra = {{"colour", "blue"}}}));
  EXPECT_TRUE(refused({.root = root, .network = "bridge"}));
  const bool is_sandbox = backend() == "gvisor";
  EXPECT_TRUE(is_sandbox || refused({.root = "/"}));
  EXPECT_TRUE(!is_sandbox || refused({.root = root, .memory_bytes = 1U << 30U}));
  const bool may_share_network = backend() == "docker" || backend() == "podman-commit";
  EXPECT_TRUE(may_share_network || refused({.root = root, .network = "host"}));
}

}  // namespace
}  // namespace sf::test
