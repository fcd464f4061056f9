// ShellDriver: types the terminal's answers to queries of its programs
// (terminal/terminal_answers.h).
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

// An answer has no line end. In canonical mode no program could read it, and it would become the
// start of the next typed line. So an answer waits until the program reads single keys, as programs
// that send queries do. If the program ends first, the answer is dropped.
void ShellDriver::give_answers() {
  next_answer_ = Deadline::never();
  if (screen_.answers().empty()) {
    answer_pause_ = kFirstPause;
    return;
  }
  auto settings = os::terminal_settings(master_.get());
  const bool is_line_mode = !settings || (settings->c_lflag & ICANON) != 0;
  // PROMPT_COMMAND may send a query before or after the shell reads our line. It does not read the
  // answer with the shell's editor.
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
  // The answer comes after queued keys if they are for the same program. If it does not fit, it is
  // lost: the program does not read its input.
  if (asks_before_prompt)
    (void)write_terminal(gate_.open(), master_.get(), bytes);
  else
    (void)input_.type(gate_.open(), bytes);
  screen_.note_answers_typed();
  write_keys();
}

// Removes the answers that the ended command has not read, so that they do not become part of the
// next line. Requires: the shell does not read.
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
