// WorkerThreads: as many threads as there is work at one time, up to a bound. A request that waits
// for long keeps its thread, so a fixed few would let the waiting ones starve the quick ones.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sf::service {

class WorkerThreads {
 public:
  explicit WorkerThreads(std::size_t limit) : limit_(limit) {}
  ~WorkerThreads() { finish(); }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Runs the job at once, or above the limit when another one ends.
  void add(std::function<void()> job);
  // Waits for all jobs. None may be added afterwards.
  void finish();

 private:
  void work();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;  // stay: the next burst needs them again
  std::size_t idle_ = 0;
  bool finishing_ = false;
};

}  // namespace sf::service
