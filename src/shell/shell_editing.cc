// ShellDriver: switches the shell between commands and keys. After a command the shell rests: it
// reads the next line without its editor, and shows no prompt. Before the first keys, the driver
// makes it show its prompt and edit lines; before the next command, the driver makes it rest again
// (docs/decisions/0018-line-editing.md).
#include <utility>

#include "os/file.h"
#include "os/terminal.h"
#include "shell/shell_driver.h"

namespace sf::waypoint {
namespace {

constexpr auto kEnterTime = seconds(5);
constexpr auto kEnterLook = milliseconds(1);
constexpr int kSureLooks = 20;  // checks that find the shell waiting and no record of the line

}  // namespace

Status ShellDriver::show_prompt(const ChangePermit& /*permit*/) {
  return !active_ && rests() ? enter_editing() : Status(Ok{});
}

// The driver types nothing before the shell has reached its prompt.
void ShellDriver::look_at_start() {
  if (!is_starting() || active_ || !at_prompt()) return;
  starting_ = new_shell_ = Deadline::never();
  if (prompt_wanted_ || input_.waits())
    (void)enter_editing();
  else
    (void)ready();
}

bool ShellDriver::rests() {
  if (active_ || shows_prompt_ || shell_ == 0 || input_.waits()) return false;
  return !unsure_ || (at_prompt() && !os::has_typed(master_.get()).value_or(false));
}

Status ShellDriver::enter_editing() {
  active_.emplace(Active{commands_, {}, {}, [](auto) {}, Phase::kReporting, OutputBuffer(0), {}});
  active_->entering = true;
  starting_ = Deadline::never();
  prompt_wanted_ = false;
  active_->phase_deadline = Deadline::after(kEnterTime);
  active_->next_look = Deadline::after(kRetypeLook);
  fingerprint_.reset();
  // Our line would become part of a partial line that was typed ahead.
  if (input_.has_part_of_line())
    input_.take_part_of_line(gate_.open(), TerminalInput::Part::kTypeAgain);
  Status typed = type_enter_line();
  if (!typed) active_.reset();
  return typed;
}

Status ShellDriver::type_enter_line() {
  return type_at_prompt(
      enter_line(holder_, active_->number, history_off_ ? History::kOff : History::kOn));
}

// The shell continues to its prompt. Until its editor has set the terminal's modes, keys wait: they
// would be echoed twice, and an end of file or Tab would not reach the editor.
void ShellDriver::end_entering() {
  drain();
  set_echo(true);
  active_->entered = true;
  active_->next_look = Deadline::after(kEnterLook);
}

void ShellDriver::look_while_entering() {
  const bool late = active_->phase_deadline.passed();
  if (!late && !active_->next_look.passed()) return;
  active_->next_look = Deadline::after(kEnterLook);
  if (!late && !(active_->entered && at_prompt())) {
    // The line is lost if its holder has died or PROMPT_COMMAND has read it.
    const bool is_lost = !active_->entered && line_was_read() && at_prompt();
    active_->idle_looks = is_lost ? active_->idle_looks + 1 : 0;
    if (is_lost && (active_->holder_died || active_->idle_looks >= kSureLooks)) {
      active_->holder_died = false;
      active_->idle_looks = 0;
      (void)type_enter_line();
    }
    return;
  }
  shows_prompt_ = true;  // or it will show it late; the next command begins with plain_line()
  active_.reset();
  set_echo(true);
  unsure_ = true;
  write_keys();
}

Status ShellDriver::type_plain_line() {
  active_->leaving = true;
  active_->asked = true;
  std::string line = plain_line(holder_, active_->number, may_write_files());
  if (has_editor_mode())
    line.insert(0, discard_line(erase_key()));
  else if (input_.has_part_of_line())
    input_.take_part_of_line(gate_.open(), TerminalInput::Part::kDrop);
  return type_at_prompt(line);
}

// The editor's echo of our line was dropped. Its switch of bracketed paste, and a new line after
// the prompt, must still be shown.
void ShellDriver::end_leaving(const std::string& flags) {
  drain();
  // If the line was typed twice, its second run would see the history switched off by the first.
  if (active_->asks == 0) history_off_ = flags.find('h') != std::string::npos;
  active_->leaving = active_->asked = false;
  active_->left = true;
  active_->asks = 0;
  shows_prompt_ = false;
  if (active_->paste_mode_off.found()) show(kPasteModeOff);
  if (screen_.text().cursor_col > 0) show("\r\n");
  active_->awaits_prompt = flags.find('p') != std::string::npos;
  type_after_leaving();
}

void ShellDriver::type_after_leaving() {
  if (active_->awaits_prompt && !at_prompt()) {
    active_->next_look = Deadline::after(kEnterLook);
    return;
  }
  active_->awaits_prompt = false;
  active_->next_look = Deadline::after(kRetypeLook);
  if (Status typed = type_line(std::nullopt); !typed) abandon(std::move(typed).error());
}

Result<TypedKeys> ShellDriver::type(const ChangePermit& permit, std::string_view bytes) {
  if (!bytes.empty() && rests()) SF_TRY(enter_editing());
  const bool held = holds_keys();
  SF_TRY(held ? input_.hold(permit, bytes) : input_.type(permit, bytes));
  unsure_ = true;
  if (!bytes.empty()) fingerprint_.reset();
  may_act_ = may_act_ || !bytes.empty();
  if (!held && active_ && bytes.find(kInterruptKey) != std::string_view::npos)
    active_->key_interrupt = true;
  write_keys();
  return TypedKeys{bytes.size(), input_.waiting_bytes()};
}

void ShellDriver::write_keys() {
  std::string written;
  if (input_.waits() && !holds_keys()) written = input_.write_some(gate_.open());
  if (!written.empty()) unsure_ = may_act_ = may_define_switch_ = true;
  if (active_ && written.find(kInterruptKey) != std::string::npos) active_->key_interrupt = true;
  if (on_input_waits) on_input_waits(input_.waits());
}

void ShellDriver::on_input_room() {
  if (input_.waits()) write_keys();
}

}  // namespace sf::waypoint
