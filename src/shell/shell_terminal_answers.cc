// How ShellDriver types what the terminal answers to its programs (terminal/terminal_answers.h).
#include <termios.h>

#include <algorithm>

#include "os/terminal.h"
#include "shell/permitted_calls.h"
#include "shell/shell_driver.h"
#include "terminal/terminal_answers.h"

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
  // PROMPT_COMMAND may ask, before or after the shell takes our line. What it reads keys with is
  // not the shell's editor.
  const bool may_ask =
      active_ ? active_->entering || active_->phase == Phase::kTyped : is_starting();
  const bool asks_before_prompt = may_ask && !has_editor_mode();
  const bool is_ours = active_ && active_->phase != Phase::kRunning && !asks_before_prompt;
  if (!active_ && at_prompt()) return screen_.forget_answers();
  if (is_line_mode || is_ours) {
    answer_pause_ = std::clamp(answer_pause_ * 2, kFirstPause, kLongestPause);
    next_answer_ = Deadline::after(answer_pause_);
    return;
  }
  std::string bytes;
  for (const std::string& answer : screen_.answers()) bytes += answer;
  answer_pause_ = kFirstPause;
  fingerprint_.reset();
  // Behind the keys that wait, if these are for the same program. If it does not fit, the program
  // does not read.
  if (asks_before_prompt)
    (void)write_terminal(gate_.open(), master_.get(), bytes);
  else
    (void)input_.type(gate_.open(), bytes);
  screen_.note_answers_typed();
  write_keys();
}

// Requires: the shell does not read. The command that asked has ended: its answers are not for the
// next line.
void ShellDriver::drop_answers() {
  next_answer_ = Deadline::never();
  if (!screen_.typed_answers().empty()) {
    if (auto queue = take_typed(gate_.open(), master_.get())) {
      queue->bytes = without_answers(queue->bytes, queue->ends, screen_.typed_answers());
      replace_typed(gate_.open(), master_.get(), *queue);
    }
  }
  screen_.forget_answers();
}

}  // namespace sf::waypoint
