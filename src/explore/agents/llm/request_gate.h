// RequestGate: limits the number of concurrent requests and of requests per minute. Further
// requests wait.
// Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "explore/agents/llm/timing.h"

namespace sf::explore::llm {

// Computes when the next request may begin, so that no minute exceeds the limit. Pure.
class MinuteWindow {
 public:
  explicit MinuteWindow(std::size_t most) : most_(most) {}  // 0: no limit
  Clock::time_point next(Clock::time_point now) const;
  void add(Clock::time_point begin);

 private:
  std::size_t most_;
  std::deque<Clock::time_point> begun_;  // of the last `most_` requests
};

struct GateLimits {  // 0: no limit
  std::size_t at_once = 0;
  std::size_t per_minute = 0;
};

class RequestGate {
 public:
  // Requires: `timing` outlives the gate.
  RequestGate(const GateLimits& limits, const Timing& timing)
      : limits_(limits), timing_(timing), window_(limits.per_minute) {}

  class Pass {  // held while the request runs
   public:
    explicit Pass(RequestGate& gate) : gate_(&gate) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    RequestGate* gate_;
  };
  // Waits until the limits allow another request. kTimedOut: not before `until`.
  Result<Pass> enter(Clock::time_point until);

 private:
  void leave();

  const GateLimits limits_;
  const Timing& timing_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::size_t inside_ = 0;
  MinuteWindow window_;
};

}  // namespace sf::explore::llm
