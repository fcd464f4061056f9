#include "mcp/call_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace sf::cli::mcp {
namespace {

TEST(CallQueueTest, JobsOfOneLaneRunInTheOrderTheyCame) {
  std::vector<int> seen;  // needs no lock: all jobs have the same lane
  {
    CallQueue queue(8);
    for (int i = 0; i < 200; ++i) queue.add("s/main", [&seen, i] { seen.push_back(i); });
    EXPECT_TRUE(queue.wait_idle(Deadline::never()));
  }
  ASSERT_EQ(seen.size(), 200U);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(CallQueueTest, WaitingJobBlocksOnlyItsOwnLane) {
  std::promise<void> gate;
  std::shared_future<void> open = gate.get_future().share();
  std::atomic<bool> second = false;
  CallQueue queue(4);
  queue.add("a", [open] { open.wait(); });
  queue.add("a", [&second] { second = true; });
  std::promise<bool> beside;
  queue.add("b", [&] { beside.set_value(second); });
  EXPECT_FALSE(beside.get_future().get());
  std::promise<bool> without_lane;
  queue.add("", [&] { without_lane.set_value(second); });
  EXPECT_FALSE(without_lane.get_future().get());
  gate.set_value();
  EXPECT_TRUE(queue.wait_idle(Deadline::never()));
  EXPECT_TRUE(second);
}

TEST(CallQueueTest, JobsWithoutALaneRunInParallel) {
  constexpr int kJobs = 4;
  std::promise<void> gate;
  std::shared_future<void> all_there = gate.get_future().share();
  std::atomic<int> arrived = 0;
  CallQueue queue(kJobs);
  for (int i = 0; i < kJobs; ++i)
    queue.add("", [&] {
      if (++arrived == kJobs) gate.set_value();
      all_there.wait();  // returns only if all jobs run at the same time
    });
  EXPECT_TRUE(queue.wait_idle(Deadline::never()));
}

TEST(CallQueueTest, NumberOfThreadsIsLimited) {
  std::atomic<int> working = 0;
  std::atomic<int> most = 0;
  CallQueue queue(3);
  for (int i = 0; i < 100; ++i)
    queue.add("", [&] {
      int now = ++working;
      for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
      }
      --working;
    });
  EXPECT_TRUE(queue.wait_idle(Deadline::never()));
  EXPECT_LE(most, 3);
}

TEST(CallQueueTest, WaitIdleReturnsAtItsDeadline) {
  std::promise<void> gate;
  CallQueue queue(1);
  queue.add("", [open = gate.get_future().share()] { open.wait(); });
  EXPECT_FALSE(queue.wait_idle(Deadline::after(milliseconds(1))));
  gate.set_value();
  EXPECT_TRUE(queue.wait_idle(Deadline::never()));
}

TEST(CallQueueTest, DestructorWaitsForAddedJobs) {
  std::atomic<int> done = 0;
  {
    CallQueue queue(2);
    for (int i = 0; i < 50; ++i) queue.add(i % 2 == 0 ? "x" : "", [&] { ++done; });
  }
  EXPECT_EQ(done, 50);
}

}  // namespace
}  // namespace sf::cli::mcp
