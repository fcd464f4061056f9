// WorkerThreads: starts a thread for each job that finds no idle one, up to a limit. A fixed small
// number of threads would not do, because slow requests would block quick ones.
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

  // Runs the job in an idle or new thread. At the limit, the job waits until another one ends.
  void add(std::function<void()> job);
  // Waits for all jobs. Requires: add() is not called afterwards.
  void finish();

 private:
  void work();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;  // kept for later jobs
  std::size_t idle_ = 0;
  bool finishing_ = false;
};

}  // namespace sf::service
