#include "explore/agents/llm/request_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "testing/matchers.h"

namespace sf::explore::llm {
namespace {

TEST(MinuteWindowTest, NoMinuteExceedsTheLimit) {
  MinuteWindow window(2);
  const Clock::time_point start;
  std::vector<long long> begun;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point begin = window.next(start + seconds(i));
    window.add(begin);
    begun.push_back(std::chrono::duration_cast<seconds>(begin - start).count());
  }
  EXPECT_EQ(begun, (std::vector<long long>{0, 1, 60, 61, 120}));
}

TEST(MinuteWindowTest, WithoutALimitThereIsNoWait) {
  MinuteWindow window(0);
  const Clock::time_point start;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(window.next(start), start);
    window.add(start);
  }
}

class RequestGateTest : public ::testing::Test {
 protected:
  Clock::time_point now = Clock::now();
  std::vector<Clock::duration> waits;
  Timing timing{.now = [this] { return now; },
                .sleep =
                    [this](Clock::duration span) {
                      waits.push_back(span);
                      now += span;
                    },
                .jitter = [] { return 0.0; }};
};

TEST_F(RequestGateTest, ARequestAboveTheMinuteLimitWaits) {
  RequestGate gate({.per_minute = 2}, timing);
  const Clock::time_point until = now + seconds(100);
  for (int i = 0; i < 3; ++i) ASSERT_OK(gate.enter(until));
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0], seconds(60));
}

TEST_F(RequestGateTest, AWaitBeyondTheDeadlineFailsImmediately) {
  RequestGate gate({.per_minute = 1}, timing);
  ASSERT_OK(gate.enter(now + seconds(100)));
  auto late = gate.enter(now + seconds(30));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimedOut);
  EXPECT_TRUE(waits.empty());
}

TEST_F(RequestGateTest, AFullGateTimesOut) {
  RequestGate gate({.at_once = 1}, timing);
  ASSERT_OK_AND_ASSIGN(auto pass, gate.enter(Clock::now() + seconds(100)));
  auto late = gate.enter(Clock::now());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimedOut);
}

TEST(RequestGateThreadsTest, ConcurrencyNeverExceedsTheLimit) {
  const Timing timing;
  RequestGate gate({.at_once = 2}, timing);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) {
        auto pass = gate.enter(Clock::now() + seconds(60));
        ASSERT_OK(pass);
        const int now = ++inside;
        if (int seen = most; now > seen) most.compare_exchange_strong(seen, now);
        std::this_thread::yield();
        --inside;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 2);
  EXPECT_EQ(inside, 0);
}

}  // namespace
}  // namespace sf::explore::llm
