// CallQueue: runs jobs on a bounded number of threads, which it starts on demand.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace sf::cli::mcp {

class CallQueue {  // Thread-safe.
 public:
  explicit CallQueue(std::size_t max_threads) : max_threads_(max_threads) {}
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;
  ~CallQueue();  // waits for all jobs

  // Jobs of one lane run one after another, in the order of add(). Jobs without a lane wait only
  // for a thread.
  void add(std::string lane, std::function<void()> job);

  // Returns true if every job ends before the deadline.
  bool wait_idle(Deadline deadline);

 private:
  struct Job {
    std::string lane;
    std::function<void()> run;
  };
  void work();
  std::optional<Job> take();  // Requires: mutex_ is held.

  const std::size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Job> waiting_;
  std::multiset<std::string> running_;  // lanes of the running jobs
  std::vector<std::thread> threads_;
  std::size_t resting_ = 0;
  bool ending_ = false;
};

}  // namespace sf::cli::mcp
