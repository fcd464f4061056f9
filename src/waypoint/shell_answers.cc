// How ShellDriver types what the terminal answers to its programs (terminal/terminal_answers.h).
#include <termios.h>

#include <algorithm>

#include "os/terminal.h"
#include "waypoint/shell_driver.h"
#include "waypoint/terminal/terminal_answers.h"

namespace sf::waypoint {
namespace {

constexpr milliseconds kFirstPause{2};
constexpr milliseconds kLongestPause{1000};

}  // namespace

// An answer has no end of line: while the terminal collects lines, nobody can read it, and it would
// stand before the next line that is typed. So it waits until the program reads single keys, which
// those that ask do, or until the program is gone: then nobody wants it any more.
void ShellDriver::give_answers() {
  next_answer_ = Deadline::never();
  if (screen_.answers().empty()) {
    answer_pause_ = kFirstPause;
    return;
  }
  auto settings = os::terminal_settings(master_.get());
  const bool is_line_mode = !settings || (settings->c_lflag & ICANON) != 0;
  const bool is_ours = active_ && active_->phase != Phase::kRunning;
  if (!active_ && at_prompt()) return screen_.forget_answers();
  if (is_line_mode || is_ours) {
    answer_pause_ = std::clamp(answer_pause_ * 2, kFirstPause, kLongestPause);
    next_answer_ = Deadline::after(answer_pause_);
    return;
  }
  std::string bytes;
  for (const std::string& answer : screen_.answers()) bytes += answer;
  answer_pause_ = kFirstPause;
  look_.reset();
  // Behind the keys that wait. If it does not fit, the program does not read.
  (void)input_.type(bytes);
  screen_.note_answers_typed();
  write_keys();
}

// Requires: the shell does not read. The command that asked has ended: its answers are not for the
// next line.
void ShellDriver::drop_answers() {
  next_answer_ = Deadline::never();
  if (!screen_.typed_answers().empty()) {
    if (auto queue = os::take_typed(master_.get()))
      (void)os::put_typed(master_.get(), without_answers(*queue, screen_.typed_answers()));
  }
  screen_.forget_answers();
}

}  // namespace sf::waypoint
