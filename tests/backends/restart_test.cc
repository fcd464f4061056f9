// Restarts the daemon's objects over the same store and catalog: branches and nodes are still
// usable.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <optional>

#include "world.h"

namespace sf::test {
namespace {

using control::BranchHandle;
using control::ForkReport;
using control::NodeId;

class RestartTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { world_.build(GetParam()); }
  World world_;
};

INSTANTIATE_TEST_SUITE_P(Backends, RestartTest, ::testing::Values("waypoint", "overlay", "replay"),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(RestartTest, BranchesContinueAndNodesRestoreAfterARestart) {
  world_.run("echo one >/root/f");
  NodeId here = world_.snapshot();
  ASSERT_OK_AND_ASSIGN(ForkReport forks, world_.session().fork(kMain, here.value(), {.count = 1}));
  world_.run("echo two >/root/f; X=live");
  world_.restart();
  EXPECT_EQ(world_.orphans, 0U);
  EXPECT_EQ(world_.run("cat /root/f; echo $X"), "two\nlive");  // the same shell continues
  EXPECT_EQ(world_.run("cat /root/f", *forks.branches.front()), "one");
  world_.restore(here);
  EXPECT_EQ(world_.run("cat /root/f"), "one");
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
}

TEST_P(RestartTest, UnreferencedStateIsFoundAndDiscarded) {
  NodeId here = world_.snapshot();
  // A process that is killed before it recorded its branch and checkpoint leaves both behind.
  ASSERT_OK(world_.backend().start({}));
  std::size_t made = 1;
  if (world_.backend().capabilities().physical_snapshots) {
    ASSERT_OK(world_.backend().checkpoint(world_.handle()));
    made = 2;
  }
  world_.restart();
  EXPECT_EQ(world_.orphans, made);
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
  world_.restore(here);
}

TEST_P(RestartTest, StateOfAnotherBackendInTheSameStoreIsKept) {
  std::string other = std::string(GetParam()) == "overlay" ? "waypoint" : "overlay";
  ASSERT_OK_AND_ASSIGN(auto neighbour, world_.registry().make(other));
  ASSERT_OK_AND_ASSIGN(BranchHandle theirs, neighbour->start({}));
  ASSERT_OK(neighbour->checkpoint(theirs));
  neighbour.reset();
  world_.restart();
  EXPECT_EQ(world_.orphans, 0U);
  ASSERT_OK_AND_ASSIGN(neighbour, world_.registry().make(other));
  ASSERT_OK_AND_ASSIGN(control::Inventory inventory, neighbour->inventory());
  EXPECT_EQ(inventory.live, std::vector<BranchHandle>{theirs});
  EXPECT_EQ(inventory.physical.size(), 1U);
}

TEST_P(RestartTest, ABranchWhoseKeeperDiedIsLostAndARestoreRevivesIt) {
  world_.run("echo one >/root/f");
  NodeId here = world_.snapshot();
  for (const waypoint::BranchInfo& info : world_.waypoint().branches()) {
    if (info.id.value() != world_.handle().value()) continue;
    ASSERT_EQ(::kill(info.keeper_pid, SIGKILL), 0);
  }
  auto lost = world_.session().exec_command(kMain, {.command = "true"});
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kSessionLost);
  world_.restore(here);
  EXPECT_EQ(world_.run("cat /root/f"), "one");
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
}

// Simulates a daemon started from a shell with other limits.
class OwnDescriptorLimit {
 public:
  explicit OwnDescriptorLimit(rlim_t soft) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit wanted{std::min(soft, before_.rlim_max), before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &wanted), 0);
  }
  ~OwnDescriptorLimit() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  OwnDescriptorLimit(const OwnDescriptorLimit&) = delete;
  OwnDescriptorLimit& operator=(const OwnDescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(ReplayLimitsTest, SessionKeepsItsLimitsAfterARestart) {
  World world;
  std::optional<OwnDescriptorLimit> limit(1000);
  world.build("replay", "lazy");
  EXPECT_EQ(world.run("X=1; ulimit -n"), "1000");
  const NodeId here = world.snapshot();
  limit.emplace(900);
  world.restart();
  ASSERT_OK_AND_ASSIGN(control::RestoreReport report, world.session().restore(kMain, here.value()));
  EXPECT_EQ(report.unproven, "");
  EXPECT_EQ(world.run("echo $X; ulimit -n"), "1\n1000");
  limit.reset();
}

}  // namespace
}  // namespace sf::test
