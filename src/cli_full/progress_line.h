// ProgressLine: shows the progress of long work on standard error. On a terminal it updates one
// line; elsewhere it prints a new line from time to time.
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
  ~ProgressLine();  // ends an unfinished line
  void show(const roots::ProgressStep& step);

 private:
  bool is_terminal_;
  std::string shown_;
  std::optional<Clock::time_point> shown_at_;
};

}  // namespace sf::cli
