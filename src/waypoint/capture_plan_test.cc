#include "waypoint/capture_plan.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

constexpr auto kMoment = milliseconds(3);

TEST(CapturePlanTest, NothingIsCapturedForThoseWhoTakeNoCheckpoints) {
  CapturePlan plan;
  plan.touched();
  EXPECT_FALSE(plan.wants());
  plan.begin(false, true);
  EXPECT_FALSE(plan.wants());
}

TEST(CapturePlanTest, AfterACheckpointTheNextCommandIsFollowedByAnother) {
  CapturePlan plan;
  plan.captured(true, true, kMoment);
  EXPECT_FALSE(plan.wants());  // nothing has changed
  plan.touched();
  EXPECT_TRUE(plan.wants());
  plan.captured_ahead(kMoment);
  EXPECT_FALSE(plan.wants());
  plan.used(true);
  EXPECT_FALSE(plan.wants());
  plan.touched();
  EXPECT_TRUE(plan.wants());
}

TEST(CapturePlanTest, WhatCannotBeKeptStillIsNotTriedUntilItCould) {
  CapturePlan plan;
  plan.captured(true, false, kMoment);
  plan.touched();
  EXPECT_FALSE(plan.wants());
  plan.captured(true, true, kMoment);
  plan.touched();
  EXPECT_TRUE(plan.wants());
  plan.refused();
  EXPECT_FALSE(plan.wants());
  EXPECT_FALSE(plan.may_hold());
}

TEST(CapturePlanTest, NoCommandIsToWaitLong) {
  CapturePlan plan;
  plan.captured(true, true, seconds(1));
  plan.touched();
  EXPECT_FALSE(plan.wants());
}

TEST(CapturePlanTest, OneThatTookLongIsTheLastUntilSomebodyAsks) {
  CapturePlan plan;
  plan.captured(true, true, kMoment);
  plan.touched();
  plan.captured_ahead(seconds(1));
  plan.touched();
  EXPECT_FALSE(plan.wants());
}

TEST(CapturePlanTest, WhatMovesJustNowIsTriedAFewTimes) {
  CapturePlan plan;
  plan.captured(true, true, kMoment);
  for (int command = 0; command < 2; ++command) {
    plan.touched();
    for (int i = 1; i < 5; ++i) EXPECT_TRUE(plan.retries()) << i;
    EXPECT_FALSE(plan.retries());
  }
}

TEST(CapturePlanTest, ManyForNothingAreEnough) {
  CapturePlan plan;
  plan.captured(true, true, kMoment);
  for (int i = 0; i < 8; ++i) {
    plan.touched();
    ASSERT_TRUE(plan.wants()) << i;
    plan.captured_ahead(kMoment);
  }
  plan.touched();
  EXPECT_FALSE(plan.wants());
  plan.captured(true, true, kMoment);  // somebody asks again
  plan.touched();
  EXPECT_TRUE(plan.wants());
}

}  // namespace
}  // namespace sf::waypoint
