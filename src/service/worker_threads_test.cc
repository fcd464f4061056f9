#include "service/worker_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace sf::service {
namespace {

TEST(WorkerThreadsTest, JobsThatWaitForEachOtherRunTogetherUpToTheLimit) {
  constexpr int kJobs = 100;
  std::latch all(kJobs);
  WorkerThreads threads(kJobs);
  for (int i = 0; i < kJobs; ++i) threads.add([&all] { all.arrive_and_wait(); });
  all.wait();
}

TEST(WorkerThreadsTest, JobsAboveTheLimitWaitAndNoneIsLost) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> done = 0;
  WorkerThreads threads(2);
  for (int i = 0; i < 500; ++i) {
    threads.add([&] {
      int now = ++running;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      ++done;
      --running;
    });
  }
  threads.finish();
  EXPECT_EQ(done, 500);
  EXPECT_LE(most, 2);
}

}  // namespace
}  // namespace sf::service
