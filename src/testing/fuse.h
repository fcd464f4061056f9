// Fuse: makes the n-th call fail. Several fakes can share a fuse, which then counts all their
// calls, so that a test can fail an operation, or cut it off, at each of its steps in turn.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"

namespace sf::test {

class Fuse {
 public:
  enum class Mode {
    kFailOnce,   // the call fails without effect; later calls work
    kCutBefore,  // as if killed before the call: it and all later calls fail
    kCutAfter,   // as if killed after the effect, before the answer
  };

  // Lets `calls` calls work before the failure. A new fuse is disarmed.
  void arm(std::size_t calls, Mode mode) {
    std::lock_guard lock(mutex_);
    left_ = calls;
    mode_ = mode;
    blown_ = false;
  }
  void disarm() {
    std::lock_guard lock(mutex_);
    left_.reset();
    blown_ = false;
  }
  bool has_blown() const {
    std::lock_guard lock(mutex_);
    return blown_;
  }
  // True if the fuse has blown and all further calls fail.
  bool is_cut() const {
    std::lock_guard lock(mutex_);
    return blown_ && mode_ != Mode::kFailOnce;
  }

  // Called at the start of a call. If it returns an error, the fake returns it and does nothing.
  Status enter(const std::string& call) {
    std::lock_guard lock(mutex_);
    if (blown_ && mode_ != Mode::kFailOnce) return cut(call);
    if (!left_ || blown_) return Ok{};
    if (*left_ > 0) {
      *left_ -= 1;
      return Ok{};
    }
    blown_ = true;
    if (mode_ == Mode::kCutAfter) {
      answer_lost_ = true;
      return Ok{};
    }
    return cut(call);
  }
  // Called after the effect. If it returns an error, the fake returns it instead of the answer.
  Status leave(const std::string& call) {
    std::lock_guard lock(mutex_);
    if (!answer_lost_) return Ok{};
    answer_lost_ = false;
    return cut(call);
  }

 private:
  static Status cut(const std::string& call) {
    return fail(ErrorCode::kOs, "injected failure of " + call);
  }

  mutable std::mutex mutex_;
  std::optional<std::size_t> left_;
  Mode mode_ = Mode::kFailOnce;
  bool blown_ = false;
  bool answer_lost_ = false;
};

}  // namespace sf::test
