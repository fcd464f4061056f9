// ProgressLine: what long work is at, on standard error: a line that changes on a terminal, now and
// then a new one elsewhere.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "roots/progress.h"

namespace sf::cli {

// "unpacking layer 2 of 5: 40%". Pure.
std::string progress_text(const roots::ProgressStep& step);

class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // leaves no half line behind
  void show(const roots::ProgressStep& step);

 private:
  bool is_terminal_;
  std::string shown_;
  std::optional<Clock::time_point> shown_at_;
};

}  // namespace sf::cli
