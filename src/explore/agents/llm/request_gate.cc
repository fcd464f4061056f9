#include "explore/agents/llm/request_gate.h"

#include <algorithm>

namespace sf::explore::llm {
namespace {

constexpr seconds kMinute{60};

Error too_late() {
  return fail(ErrorCode::kTimedOut, "timed out while waiting for other requests",
              "allow more requests at once or per minute, or run fewer jobs");
}

}  // namespace

Clock::time_point MinuteWindow::next(Clock::time_point now) const {
  if (most_ == 0 || begun_.size() < most_) return now;
  return std::max(now, begun_.front() + kMinute);
}

void MinuteWindow::add(Clock::time_point begin) {
  begun_.push_back(begin);
  if (begun_.size() > most_) begun_.pop_front();
}

Result<RequestGate::Pass> RequestGate::enter(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  auto has_room = [this] { return limits_.at_once == 0 || inside_ < limits_.at_once; };
  if (!left_.wait_until(lock, until, has_room)) return too_late();
  const Clock::time_point now = timing_.now();
  const Clock::time_point begin = window_.next(now);
  if (begin > until) return too_late();
  window_.add(begin);
  ++inside_;
  lock.unlock();
  Pass pass(*this);
  if (begin > now) timing_.sleep(begin - now);
  return pass;
}

void RequestGate::leave() {
  {
    std::lock_guard lock(mutex_);
    --inside_;
  }
  left_.notify_one();
}

}  // namespace sf::explore::llm
