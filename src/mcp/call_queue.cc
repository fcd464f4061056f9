#include "mcp/call_queue.h"

#include <utility>

namespace sf::cli::mcp {

CallQueue::~CallQueue() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CallQueue::add(std::string lane, std::function<void()> job) {
  std::lock_guard lock(mutex_);
  waiting_.push_back({std::move(lane), std::move(job)});
  if (resting_ < waiting_.size() && threads_.size() < max_threads_)
    threads_.emplace_back([this] { work(); });
  changed_.notify_all();
}

bool CallQueue::wait_idle(Deadline deadline) {
  std::unique_lock lock(mutex_);
  auto is_idle = [this] { return waiting_.empty() && running_.empty(); };
  if (!deadline.is_never()) return changed_.wait_until(lock, deadline.at(), is_idle);
  changed_.wait(lock, is_idle);
  return true;
}

void CallQueue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::optional<Job> job = take();
    if (!job) {
      if (ending_ && waiting_.empty()) return;
      ++resting_;
      changed_.wait(lock);
      --resting_;
      continue;
    }
    running_.insert(job->lane);
    lock.unlock();
    job->run();
    lock.lock();
    running_.erase(running_.find(job->lane));
    changed_.notify_all();
  }
}

std::optional<CallQueue::Job> CallQueue::take() {
  for (auto job = waiting_.begin(); job != waiting_.end(); ++job) {
    if (!job->lane.empty() && running_.contains(job->lane)) continue;
    Job taken = std::move(*job);
    waiting_.erase(job);
    return taken;
  }
  return std::nullopt;
}

}  // namespace sf::cli::mcp
