#include "waypoint/fault_plan.h"

#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

TEST(FaultPlanTest, AnEmptyPlanPassesEveryPoint) {
  for (std::string_view point : kFaultPoints) EXPECT_OK(FaultPlan{}.at(point));
}

TEST(FaultPlanTest, OnlyTheNamedPointFailsAndTheErrorNamesIt) {
  for (std::string_view planned : kFaultPoints) {
    FaultPlan plan{.fail_at = std::string(planned)};
    for (std::string_view point : kFaultPoints) EXPECT_EQ(plan.at(point).ok(), point != planned);
    EXPECT_EQ(plan.at(planned).error().message, "injected fault at " + std::string(planned));
  }
}

TEST(FaultPlanTest, FaultPointNamesAreUnique) {
  std::set<std::string_view> names(std::begin(kFaultPoints), std::end(kFaultPoints));
  EXPECT_EQ(names.size(), std::size(kFaultPoints));
}

TEST(FaultPlanDeathTest, TheProcessIsKilledAtThePlannedPoint) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  FaultPlan plan{.die_at = "restore.before_swap"};
  EXPECT_OK(plan.at("restore.after_swap"));
  EXPECT_EXIT((void)plan.at("restore.before_swap").ok(), ::testing::KilledBySignal(SIGKILL), "");
}

}  // namespace
}  // namespace sf::waypoint
