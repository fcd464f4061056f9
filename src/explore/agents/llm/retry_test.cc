#include "explore/agents/llm/retry.h"

#include <gtest/gtest.h>

namespace sf::explore::llm {
namespace {

constexpr RetryRules kRules{
    .most_attempts = 5, .first_wait = milliseconds(100), .longest_wait = milliseconds(300)};

std::optional<milliseconds> wait_after(FailedAttempt failed, double jitter = 1) {
  return wait_before_retry(kRules, failed, jitter);
}

TEST(RetryTest, WaitsGrowUpToALimitAndAttemptsAreLimited) {
  EXPECT_EQ(wait_after({.number = 1}), milliseconds(100));
  EXPECT_EQ(wait_after({.number = 2}), milliseconds(200));
  EXPECT_EQ(wait_after({.number = 3}), milliseconds(300));
  EXPECT_EQ(wait_after({.number = 4}), milliseconds(300));
  EXPECT_EQ(wait_after({.number = 5}), std::nullopt);
}

TEST(RetryTest, JitterShortensAWaitByUpToHalf) {
  EXPECT_EQ(wait_after({.number = 2}, 0), milliseconds(100));
  EXPECT_EQ(wait_after({.number = 2}, 0.5), milliseconds(150));
}

TEST(RetryTest, RetryAfterMayExceedTheLongestWait) {
  const FailedAttempt failed{.status = 429, .retry_after = milliseconds(5000)};
  EXPECT_EQ(wait_after(failed, 0), milliseconds(5000));
  EXPECT_EQ(wait_after(failed, 1), milliseconds(5100));
}

TEST(RetryTest, OnlyTemporaryFailuresAreRetried) {
  for (const int status : {0, 200, 408, 409, 425, 429, 500, 502, 503, 504, 529})
    EXPECT_TRUE(wait_after({.status = status})) << status;
  for (const int status : {301, 307, 400, 401, 403, 404, 413, 422})
    EXPECT_FALSE(wait_after({.status = status})) << status;
  EXPECT_FALSE(wait_after({.status = 429, .is_final = true}));
}

}  // namespace
}  // namespace sf::explore::llm
