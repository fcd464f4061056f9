#include "engine/native/process/fork_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/matchers.h"

namespace sf::waypoint::native {
namespace {

const Member kInit{1, 0, 1, 1, -1, false};
const Member kShell{2, 1, 2, 2, 0, false};

std::vector<PlannedFork> forks(const std::vector<Member>& members) {
  auto plan = plan_forks(members);
  EXPECT_OK(plan);
  return plan ? std::move(*plan) : std::vector<PlannedFork>();
}

const PlannedFork* find(const std::vector<PlannedFork>& forks, pid_t pid) {
  auto found = std::ranges::find(forks, pid, &PlannedFork::pid);
  return found == forks.end() ? nullptr : &*found;
}

bool forks_late(const std::vector<PlannedFork>& forks, const PlannedFork& parent, pid_t child) {
  return std::ranges::any_of(parent.late,
                             [&](std::size_t index) { return forks[index].pid == child; });
}

TEST(ForkOrderTest, AJobIsForkedByItsShell) {
  auto plan = forks({kInit, kShell, {3, 2, 3, 2, 0, false}});
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_TRUE(forks_late(plan, plan[0], 2));
  EXPECT_TRUE(forks_late(plan, plan[1], 3));
}

TEST(ForkOrderTest, AnOrphanIsForkedByABridgeFromWithinItsSession) {
  auto plan = forks({kInit, kShell, {7, 1, 7, 2, 0, false}});
  ASSERT_EQ(plan.size(), 4U);
  const PlannedFork& bridge = plan.back();
  EXPECT_EQ(bridge.kind, PlannedFork::Kind::kBridge);
  EXPECT_TRUE(forks_late(plan, plan[1], bridge.pid));
  EXPECT_TRUE(forks_late(plan, bridge, 7));
  EXPECT_FALSE(forks_late(plan, plan[0], 7));
}

TEST(ForkOrderTest, AGroupWithAnEndedLeaderGetsAStandInFromItsSession) {
  auto plan = forks({kInit, kShell, {5, 2, 4, 2, 0, false}});
  const PlannedFork* leader = find(plan, 4);
  ASSERT_NE(leader, nullptr);
  EXPECT_EQ(leader->kind, PlannedFork::Kind::kStandIn);
  EXPECT_EQ(leader->session, 2);
  EXPECT_TRUE(forks_late(plan, plan[1], 4));
}

TEST(ForkOrderTest, ASessionWithAnEndedLeaderGetsAStandInThatAlsoLeadsItsGroup) {
  auto plan = forks({kInit, kShell, {9, 1, 8, 8, -1, false}});
  const PlannedFork* leader = find(plan, 8);
  ASSERT_NE(leader, nullptr);
  EXPECT_TRUE(leader->leads_session());
  EXPECT_TRUE(forks_late(plan, plan[0], 8));
  ASSERT_EQ(leader->late.size(), 1U);
  const PlannedFork& bridge = plan[leader->late[0]];
  EXPECT_EQ(bridge.kind, PlannedFork::Kind::kBridge);
  EXPECT_TRUE(forks_late(plan, bridge, 9));
}

TEST(ForkOrderTest, AGroupOfAnotherSessionIsRefused) {
  EXPECT_FALSE(plan_forks({kInit, kShell, {3, 2, 3, 3, -1, false}, {4, 3, 3, 2, 0, false}}));
}

TEST(ForkOrderTest, EarlyChildrenKeepTheSessionTheyWereBornIn) {
  auto plan = forks({kInit, kShell, {3, 2, 3, 3, -1, false}, {4, 3, 4, 2, 0, false}});
  ASSERT_EQ(plan.size(), 4U);
  ASSERT_EQ(plan[2].early.size(), 1U);
  EXPECT_EQ(plan[plan[2].early[0]].pid, 4);
}

TEST(ForkOrderTest, HelpersDoNotUseTakenPids) {
  auto plan = plan_forks({kInit, kShell, {7, 1, 7, 2, 0, false}}, {300, 301});
  ASSERT_OK(plan);
  EXPECT_EQ(plan->back().pid, 302);
}

TEST(ForkOrderTest, ASessionThatNoForkLeadsToIsRefusedAndNamed) {
  auto plan = plan_forks({kInit, kShell, {3, 2, 3, 2, 0, false}, {5, 3, 5, 9, -1, false}});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(plan.error().message.find("process 5"), std::string::npos);
}

TEST(ForkOrderTest, AProcessWithoutItsSessionsTerminalIsRefused) {
  EXPECT_FALSE(plan_forks({kInit, kShell, {3, 2, 3, 2, -1, false}}));
}

}  // namespace
}  // namespace sf::waypoint::native
