#include "base/clock.h"

#include <gtest/gtest.h>

namespace sf {
namespace {

TEST(DeadlineTest, NeverDoesNotPassAndPollsForEver) {
  Deadline never = Deadline::never();
  EXPECT_TRUE(never.is_never());
  EXPECT_FALSE(never.passed());
  EXPECT_EQ(never.poll_timeout_ms(), -1);
}

TEST(DeadlineTest, ADeadlineAfterAnEmptySpanHasPassedAndPollsWithoutWaiting) {
  for (Clock::duration span : {Clock::duration(0), Clock::duration(seconds(-5))}) {
    Deadline deadline = Deadline::after(span);
    EXPECT_TRUE(deadline.passed());
    EXPECT_EQ(deadline.poll_timeout_ms(), 0);
  }
}

TEST(DeadlineTest, PollTimeoutOfAnHourIsAboutAnHour) {
  Deadline deadline = Deadline::after(std::chrono::hours(1));
  EXPECT_FALSE(deadline.passed());
  EXPECT_LE(deadline.poll_timeout_ms(), 3'600'000);
  EXPECT_GT(deadline.poll_timeout_ms(), 3'500'000);
}

TEST(DeadlineTest, PollTimeoutIsRoundedUpSoThatPollDoesNotSpin) {
  Deadline deadline = Deadline::after(microseconds(900));
  int left = deadline.poll_timeout_ms();
  if (!deadline.passed()) {
    EXPECT_GE(left, 1);
  }
}

TEST(DeadlineTest, AYearFitsIntoThePollArgument) {
  Deadline deadline = Deadline::after(std::chrono::hours(24 * 365));
  EXPECT_EQ(deadline.poll_timeout_ms(), 1'000'000'000);
}

TEST(DeadlineTest, TheLongestSpanDoesNotWrapIntoThePast) {
  EXPECT_FALSE(Deadline::after(Clock::duration::max()).passed());
}

TEST(DeadlineTest, TheLongestSpanOfACoarserUnitDoesNotWrapEither) {
  EXPECT_FALSE(Deadline::after(milliseconds::max()).passed());
}

TEST(DeadlineTest, TheEarlierOfTwoWins) {
  Deadline soon = Deadline::after(seconds(1));
  Deadline late = Deadline::after(seconds(100));
  EXPECT_EQ(soon.min(late).at(), soon.at());
  EXPECT_EQ(late.min(soon).at(), soon.at());
  EXPECT_EQ(Deadline::never().min(late).at(), late.at());
}

TEST(StopwatchTest, TimeDoesNotRunBackwards) {
  Stopwatch watch;
  microseconds first = watch.elapsed();
  EXPECT_GE(first.count(), 0);
  EXPECT_GE(watch.elapsed(), first);
}

}  // namespace
}  // namespace sf
