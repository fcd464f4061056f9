#include "explore/tasks/grading.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::explore {
namespace {

TEST(GradingTest, PytestLinesOverrideTheExitStatus) {
  EXPECT_TRUE(grade_from_output("..\nPASSED a::b\nPASSED a::c\n", 0).passed());
  EXPECT_TRUE(grade_from_output("PASSED a::b\n", 1).passed());
  EXPECT_DOUBLE_EQ(grade_from_output("PASSED a::b\nFAILED a::c - no\n", 0).score, 0.5);
  EXPECT_DOUBLE_EQ(grade_from_output("ERROR a::b - import\n", 0).score, 0);
}

TEST(GradingTest, WithoutPytestLinesTheExitStatusDecides) {
  EXPECT_TRUE(grade_from_output("all is well\nPASSED\n", 0).passed());
  EXPECT_FALSE(grade_from_output("", 1).passed());
}

TEST(GradingTest, RewardsAreNumbers) {
  EXPECT_DOUBLE_EQ(reward_from("0.25\n").value(), 0.25);
  EXPECT_DOUBLE_EQ(reward_from("{\"reward\": 1}").value(), 1);
  EXPECT_EQ(reward_from("yes").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(reward_from("").error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace sf::explore
