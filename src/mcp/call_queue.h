// CallQueue: runs jobs on a bounded number of threads, started as they are needed.
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

  // Jobs of one lane run one after another, in the order in which they came; those without a lane
  // wait for nothing but a thread.
  void add(std::string lane, std::function<void()> job);

  // True when every job is done before the deadline.
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
  std::multiset<std::string> running_;  // their lanes
  std::vector<std::thread> threads_;
  std::size_t resting_ = 0;
  bool ending_ = false;
};

}  // namespace sf::cli::mcp
