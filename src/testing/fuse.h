// Fuse: makes the n-th call fail, wherever it is. Given to several fakes it counts their calls
// together, so a test can fail, or cut off, an operation at each of its steps in turn.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"

namespace sf::test {

class Fuse {
 public:
  enum class Mode {
    kFailOnce,   // that call fails and had no effect; the next ones work
    kCutBefore,  // as if the process had been killed before that call: it and all later ones fail
    kCutAfter,   // as if killed right after its effect, before anyone saw the answer
  };

  // `calls` more calls work. The fuse starts disarmed.
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
  // Blown, and for good: everything fails from now on.
  bool is_cut() const {
    std::lock_guard lock(mutex_);
    return blown_ && mode_ != Mode::kFailOnce;
  }

  // At the beginning of a call: an error means, return it and do nothing.
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
  // At its end, when the effect has happened: an error means, return it instead of the answer.
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
