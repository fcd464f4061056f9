// Deadline: a point in time. Nested waits share one, so that their time limits do not add up.
#pragma once

#include <algorithm>
#include <chrono>

namespace sf {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Deadline {
 public:
  template <typename Span>
  static Deadline after(Span span) {
    Clock::time_point now = Clock::now();
    if (span >= std::chrono::floor<Span>(Clock::time_point::max() - now)) return never();
    return Deadline(now + span);
  }
  static Deadline never() { return Deadline(Clock::time_point::max()); }

  bool passed() const { return !is_never() && Clock::now() >= at_; }
  bool is_never() const { return at_ == Clock::time_point::max(); }
  Clock::time_point at() const { return at_; }
  Deadline min(Deadline other) const { return at_ < other.at_ ? *this : other; }

  // The time that remains, rounded up to milliseconds for poll(); -1 if the deadline never passes.
  int poll_timeout_ms() const {
    if (is_never()) return -1;
    auto left = std::chrono::ceil<milliseconds>(at_ - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
  }

 private:
  explicit Deadline(Clock::time_point at) : at_(at) {}
  Clock::time_point at_;
};

class Stopwatch {
 public:
  microseconds elapsed() const {
    return std::chrono::duration_cast<microseconds>(Clock::now() - start_);
  }

 private:
  Clock::time_point start_ = Clock::now();
};

}  // namespace sf
