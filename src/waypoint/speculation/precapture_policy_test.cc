#include "waypoint/speculation/precapture_policy.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

constexpr auto kQuietTimeout = milliseconds(3);

TEST(PrecapturePolicyTest, BranchesWithoutCheckpointsAreNotPrecaptured) {
  PrecapturePolicy plan;
  plan.touched();
  EXPECT_FALSE(plan.wants());
  plan.begin(false, true);
  EXPECT_FALSE(plan.wants());
}

TEST(PrecapturePolicyTest, ACommandAfterACheckpointIsFollowedByAPrecapture) {
  PrecapturePolicy plan;
  plan.captured(true, true, kQuietTimeout);
  EXPECT_FALSE(plan.wants());  // nothing has changed
  plan.touched();
  EXPECT_TRUE(plan.wants());
  plan.precaptured(kQuietTimeout);
  EXPECT_FALSE(plan.wants());
  plan.used(true);
  EXPECT_FALSE(plan.wants());
  plan.touched();
  EXPECT_TRUE(plan.wants());
}

TEST(PrecapturePolicyTest, BranchThatCannotBeHeldIsNotPrecaptured) {
  PrecapturePolicy plan;
  plan.captured(true, false, kQuietTimeout);
  plan.touched();
  EXPECT_FALSE(plan.wants());
  plan.captured(true, true, kQuietTimeout);
  plan.touched();
  EXPECT_TRUE(plan.wants());
  EXPECT_FALSE(plan.failed(ErrorCode::kUnsupported));
  EXPECT_FALSE(plan.wants());
  EXPECT_FALSE(plan.may_hold());
}

TEST(PrecapturePolicyTest, ErrorThatMayPassIsTriedAgainAfterTheNextCommandAtTheLatest) {
  for (ErrorCode passing : {ErrorCode::kBusy, ErrorCode::kNoSpace, ErrorCode::kOs,
                            ErrorCode::kTimedOut, ErrorCode::kCorrupt}) {
    PrecapturePolicy plan;
    plan.captured(true, true, kQuietTimeout);
    plan.touched();
    EXPECT_TRUE(plan.failed(passing));
    EXPECT_TRUE(plan.wants());
    EXPECT_TRUE(plan.may_hold());
    while (plan.failed(passing)) continue;
    plan.touched();
    EXPECT_TRUE(plan.wants());
  }
}

TEST(PrecapturePolicyTest, SlowCaptureDisablesPrecapture) {
  PrecapturePolicy plan;
  plan.captured(true, true, seconds(1));
  plan.touched();
  EXPECT_FALSE(plan.wants());
}

TEST(PrecapturePolicyTest, SlowPrecaptureIsTheLastUntilTheNextCheckpoint) {
  PrecapturePolicy plan;
  plan.captured(true, true, kQuietTimeout);
  plan.touched();
  plan.precaptured(seconds(1));
  plan.touched();
  EXPECT_FALSE(plan.wants());
}

TEST(PrecapturePolicyTest, BusyBranchIsRetriedAFewTimes) {
  PrecapturePolicy plan;
  plan.captured(true, true, kQuietTimeout);
  for (int command = 0; command < 2; ++command) {
    plan.touched();
    for (int i = 1; i < 5; ++i) EXPECT_TRUE(plan.failed(ErrorCode::kBusy)) << i;
    EXPECT_FALSE(plan.failed(ErrorCode::kBusy));
  }
}

TEST(PrecapturePolicyTest, EightUnusedPrecapturesAreTheLastUntilTheNextCheckpoint) {
  PrecapturePolicy plan;
  plan.captured(true, true, kQuietTimeout);
  for (int i = 0; i < 8; ++i) {
    plan.touched();
    ASSERT_TRUE(plan.wants()) << i;
    plan.precaptured(kQuietTimeout);
  }
  plan.touched();
  EXPECT_FALSE(plan.wants());
  plan.captured(true, true, kQuietTimeout);  // a new checkpoint
  plan.touched();
  EXPECT_TRUE(plan.wants());
}

}  // namespace
}  // namespace sf::waypoint
