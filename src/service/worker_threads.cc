#include "service/worker_threads.h"

#include <system_error>
#include <utility>

namespace sf::service {

void WorkerThreads::add(std::function<void()> job) {
  std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_one();
  if (idle_ >= jobs_.size() || threads_.size() >= limit_) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // with at least one thread, the job waits for it
  }
}

void WorkerThreads::finish() {
  {
    std::lock_guard lock(mutex_);
    finishing_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    idle_ += 1;
    changed_.wait(lock, [this] { return !jobs_.empty() || finishing_; });
    idle_ -= 1;
    if (jobs_.empty()) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace sf::service
