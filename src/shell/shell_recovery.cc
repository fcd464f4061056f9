// ShellDriver: recovers the shell from commands that exceed their time limit, typed lines that an
// interrupt ended, and a terminal that another process group holds.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "os/file.h"
#include "os/process.h"
#include "os/terminal.h"
#include "shell/init/init_protocol.h"
#include "shell/permitted_calls.h"
#include "shell/shell_driver.h"

namespace sf::waypoint {
namespace {

constexpr auto kLaterLook = milliseconds(100);
constexpr auto kReportTime = seconds(10);     // to get a status out of a shell at its prompt
constexpr auto kInterruptPause = seconds(1);  // between SIGINT, SIGTERM and SIGKILL
constexpr int kKillShellAfter = 5;            // interrupts
constexpr int kPatientLooks = 250;            // checks, about one second
constexpr int kMaxAsks = 3;                   // lines typed without any record from the shell
constexpr int kLostLooks = 5;                 // checks of a shell that has lost its terminal

// The system call that a process waits in, from /proc/<pid>/syscall.
struct WaitingCall {
  long number = -1;
  unsigned long fd = 0;
  unsigned long size = 0;
};

std::optional<WaitingCall> waiting_call(pid_t pid) {
  auto text = os::read_file("/proc/" + std::to_string(pid) + "/syscall");
  if (!text) return std::nullopt;
  WaitingCall call;
  unsigned long address = 0;
  if (std::sscanf(text->c_str(), "%ld %lx %lx %lx", &call.number, &call.fd, &address, &call.size) !=
      4)
    return std::nullopt;
  return call;
}

constexpr long kReadCall = 0;  // x86-64
constexpr long kSelectCall = 23;
constexpr long kPselectCall = 270;

bool ignores_interrupt(pid_t pid) {
  auto text = os::read_file("/proc/" + std::to_string(pid) + "/status");
  constexpr std::string_view kField = "\nSigIgn:";
  const std::size_t at = text ? text->find(kField) : std::string::npos;
  if (at == std::string::npos) return false;
  const auto mask = std::strtoull(text->c_str() + at + kField.size(), nullptr, 16);
  return ((mask >> (SIGINT - 1)) & 1U) != 0;
}

}  // namespace

// Sends SIGINT, SIGTERM, SIGKILL, one stage per call. Finally kills the shell itself, in case the
// command is code of the shell that ignores the other signals.
void ShellDriver::interrupt() {
  active_->timed_out = true;
  int stage = ++active_->interrupts;
  active_->deadline = Deadline::after(kInterruptPause);
  active_->next_look = Deadline::after(kEagerLook);
  if (foreground() == shell_host_) return signal_own_group(stage);
  if (stage == 1) signal_foreground(SIGINT);
  if (stage == 2) signal_foreground(SIGTERM);
  if (stage >= 3) {
    signal_foreground(SIGKILL);
    send_signal(gate_.open(), shell_host_, stage >= kKillShellAfter ? SIGKILL : SIGINT);
  }
}

void ShellDriver::signal_foreground(int number) {
  pid_t group = foreground();
  if (group <= 0) return;
  if (group == shell_host_) {
    send_signal(gate_.open(), shell_host_, SIGINT);
    return;
  }
  send_group_signal(gate_.open(), group, number);
  send_group_signal(gate_.open(), group, SIGCONT);  // a stopped job would not handle the signal
}

// The command is code of the shell itself, or runs without job control (`set +m`) in the shell's
// own process group. SIGINT goes to the whole group, as from the keyboard. SIGTERM and SIGKILL go
// only to processes that the command has started. Without job control, background processes of the
// shell ignore SIGINT; they are killed only at the last stage.
void ShellDriver::signal_own_group(int stage) {
  if (stage == 1 || stage > kKillShellAfter) send_group_signal(gate_.open(), shell_host_, SIGINT);
  bool found = false;
  for (pid_t pid : os::process_tree(shell_host_)) {
    const auto key = os::process_key(pid);
    if (pid == shell_host_ || ::getpgid(pid) != shell_host_) continue;
    if (!key || key->start_time < active_->began_at) continue;
    if (stage < kKillShellAfter && ignores_interrupt(pid)) continue;
    found = true;
    if (stage == 2) send_signal(gate_.open(), pid, SIGTERM);
    if (stage >= 3) send_signal(gate_.open(), pid, SIGKILL);
  }
  if (stage > 1) send_signal(gate_.open(), shell_host_, SIGINT);
  if (stage >= kKillShellAfter && !found) send_signal(gate_.open(), shell_host_, SIGKILL);
}

void ShellDriver::look_for_prompt() {
  bool eager = active_->interrupts > 0;
  active_->next_look = Deadline::after(eager ? kEagerLook : kLaterLook);
  wake_stopped_shell();
  if (has_lost_terminal()) return regain_terminal();
  active_->lost_looks = 0;
  // If the driver is blind, a `read` in a command looks like the prompt. Assume the prompt only
  // after an interrupt.
  if (blind_ && active_->phase == Phase::kRunning && !active_->key_interrupt && !eager) return;
  const bool begins = active_->phase <= Phase::kLoading;
  // Check in this order: a shell that reads the line between the two checks is not at its prompt.
  if ((begins && !line_was_read()) || !at_prompt()) {
    active_->idle_looks = 0;
    if (active_->phase == Phase::kLoading && active_->holder_died) run_untold();
    return;
  }
  if (active_->phase == Phase::kReporting) {
    // The shell has read the line and sent no record: the script was unreachable because its holder
    // was killed. Try again.
    if (active_->phase_deadline.passed())
      return abandon(fail(
          ErrorCode::kBusy,
          "the shell does not respond: /proc may be unmounted in the branch, or bash is restricted",
          "end it with send_keys \"exit\\n\"; a new shell then starts"));
    if (os::has_typed(master_.get()).value_or(false)) return;  // not read yet
    if (++active_->asks > kMaxAsks) {
      // Our lines no longer work in this shell, and the command's status is lost.
      active_->next_look = Deadline::never();
      send_signal(gate_.open(), shell_host_, SIGKILL);
      return;
    }
    return type_report();
  }
  // Check twice: the shell looks the same between its end record and the driver's read of it.
  if (++active_->idle_looks < 2) {
    active_->next_look = Deadline::after(kEagerLook);
    return;
  }
  if (begins) return ask_about_line();
  begin_report();
}

bool ShellDriver::line_was_read() const {
  if (shell_ == 0) return false;
  auto typed = os::has_typed(master_.get());
  return typed ? !*typed : active_->holder_died || active_->shell_restarted;
}

// The shell has read the line and sent no record. There are three possible causes:
// - The script was unreachable (see set_holder). The next line has the new path, and asks the shell
//   whether the command ran.
// - The line became part of an unfinished command that was typed before. An interrupt discards it.
// - The shell is in a state in which none of our lines works.
void ShellDriver::ask_about_line() {
  active_->idle_looks = 0;
  active_->next_look = Deadline::after(kRetypeLook);
  if (++active_->asks > kMaxAsks) return give_up_shell("");
  if (active_->leaving) {
    if (active_->asks > 1) (void)write_terminal(gate_.open(), master_.get(), "\x03");
    if (Status typed = type_plain_line(); !typed) abandon(std::move(typed).error());
    return;
  }
  active_->asked = true;
  if (Status typed = type_at_prompt(ask_line(holder_, active_->number)); !typed)
    abandon(std::move(typed).error());
}

// Our line became input of an unfinished command or of another program.
void ShellDriver::take_line_back() {
  (void)write_terminal(gate_.open(), master_.get(), "\x03");
  abandon(fail(ErrorCode::kBusy,
               "the shell did not start the command; in the foreground: " + foreground_name(),
               "finish or interrupt the program or the typed line (send_keys \"\\x03\"), then try "
               "again"));
}

// This shell can no longer run commands because of the user's functions, options, limits or mounts.
// A new shell replaces it. The driver does not run the command there: in another directory and
// without the variables it may do something else, so the client must decide.
void ShellDriver::give_up_shell(std::string why) {
  std::string cause =
      "a function or alias named like a builtin, a builtin that is switched off, a restricted "
      "shell, too few descriptors, or /proc is not mounted";
  if (why == "names" || why == "status")
    cause = "a variable with the prefix __wp_ is readonly or has an attribute";
  if (why == "file") cause = "it may not write files (ulimit -f)";
  active_->phase_deadline = Deadline::never();
  active_->next_look = Deadline::never();
  active_->deadline = Deadline::never();
  active_->giving_up = fail(
      ErrorCode::kBusy,
      std::string(active_->phase == Phase::kRunning
                      ? "the command ran, but the shell cannot report its status"
                      : "the command did not run: the shell could not load it") +
          " (" + cause + "). The shell was restarted: its variables, functions and jobs are gone",
      "run the command again in the new shell; if it fails again, check /proc in the session with "
      "a side command, which needs no shell");
  send_signal(gate_.open(), shell_host_, SIGKILL);
}

bool ShellDriver::may_write_files() const {
  auto limits = os::read_file("/proc/" + std::to_string(shell_host_) + "/limits");
  if (!limits) return true;
  constexpr std::string_view kField = "Max file size";
  const std::size_t at = limits->find(kField);
  if (at == std::string::npos) return true;
  const std::size_t value = limits->find_first_not_of(' ', at + kField.size());
  return limits->compare(value, 9, "unlimited") == 0;
}

void ShellDriver::type_again() {
  active_->idle_looks = 0;
  active_->next_look = Deadline::after(kRetypeLook);
  if (Status typed = type_line(last_status_); !typed) abandon(std::move(typed).error());
}

// The command was loaded and is running, but its start record was lost.
void ShellDriver::run_untold() {
  if (++active_->busy_looks < 2) return;
  const std::string printed = std::exchange(active_->loading, "");
  show(printed);
  active_->output.append(printed);
  if (active_->sink && !printed.empty()) active_->sink(printed);
  set_echo(true);
  begin_running();
  write_keys();
}

// An interrupt can reach bash between starting a program and waiting for it. Then bash is at its
// prompt, does not know of the child, and the program is in the foreground. The next line makes
// bash wait for the program, and only then may the program end. If it ended earlier, bash would
// read its input again as a background process, fail, and exit.
bool ShellDriver::has_lost_terminal() {
  bool interrupted = active_->key_interrupt || active_->interrupts > 0;
  return interrupted && !blind_ && foreground() != shell_host_;
}

void ShellDriver::regain_terminal() {
  const bool waits = !reads_line();
  if (active_->phase == Phase::kRunning && waits) {  // the command's program still runs
    active_->lost_looks = 0;
    return;
  }
  active_->next_look = Deadline::after(kEagerLook);
  ++active_->lost_looks;
  if (active_->phase == Phase::kReporting && waits)
    signal_foreground(active_->lost_looks < kPatientLooks ? SIGINT : SIGKILL);
  if (active_->phase == Phase::kRunning && active_->lost_looks >= kLostLooks) begin_report();
}

void ShellDriver::begin_report() {
  drain();
  active_->lost_looks = 0;
  active_->asks = 0;
  active_->phase = Phase::kReporting;
  active_->deadline = Deadline::never();
  active_->phase_deadline = Deadline::after(kReportTime);
  type_report();
}

void ShellDriver::type_report() {
  active_->next_look = Deadline::after(kLaterLook);
  drop_typed(gate_.open(), master_.get());
  (void)type_at_prompt(report_line(holder_, active_->number));
}

// In gVisor the master does not report the foreground group. There it is the group of a child that
// the shell has started since its last command and that is not stopped.
pid_t ShellDriver::foreground() const {
  if (!blind_) return os::foreground_group(master_.get());
  for (pid_t child : os::children_of(shell_host_)) {
    if (!jobs_.contains(child) && os::process_state(child) != 'T' &&
        os::process_state(child) != 'Z')
      return ::getpgid(child);
  }
  return shell_host_;
}

std::string ShellDriver::foreground_name() const {
  const pid_t member = foreground_member();
  return member > 0 ? os::command_line(member) : std::string("nothing");
}

pid_t ShellDriver::foreground_group() const {
  const pid_t member = foreground_member();
  return member > 0 ? os::namespace_group(member).value_or(shell_) : shell_;
}

// Prefers the group's leader, but it may have ended: of `seq 9 | less` only `less` may be left.
pid_t ShellDriver::foreground_member() const {
  const pid_t group = os::foreground_group(master_.get());
  if (group <= 0 || os::process_key(group)) return group;
  for (pid_t pid : os::process_tree(init_)) {
    if (::getpgid(pid) == group && os::process_key(pid)) return pid;
  }
  return 0;
}

void ShellDriver::note_jobs() {
  if (!blind_) return;
  std::vector<pid_t> children = os::children_of(shell_host_);
  jobs_ = {children.begin(), children.end()};
}

bool ShellDriver::at_prompt() {
  if (shell_host_ <= 0) find_shell_host_pid();
  return shell_host_ > 0 && foreground() == shell_host_ && reads_line();
}

bool ShellDriver::reads_line() {
  // Check descriptor 0 first: while our script waits, it is a pipe, and the script may be ending.
  auto input = os::read_link("/proc/" + std::to_string(shell_host_) + "/fd/0");
  if (!input || *input != kTerminalPath) return false;
  if (blind_) return os::process_state(shell_host_) == 'S';
  // While a command runs, the editor is the `read -e` of that command.
  if (edits_line()) return !active_ || active_->phase != Phase::kRunning;
  auto call = waiting_call(shell_host_);
  if (!call || call->number != kReadCall || call->fd != 0) return false;
  // The `read` builtin calls read() with another size than the shell does for its own input.
  if (prompt_read_ == 0 && !active_) prompt_read_ = call->size;
  return prompt_read_ == 0 || call->size == prompt_read_;
}

// After `suspend` or `kill -STOP $$`. This shell has no parent shell that would continue it.
void ShellDriver::wake_stopped_shell() {
  if (shell_host_ != 0 && os::process_state(shell_host_) == 'T')
    send_signal(gate_.open(), shell_host_, SIGCONT);
}

// readline switches ICANON off, and ICRNL, too (`read -n` leaves ICRNL on).
bool ShellDriver::has_editor_mode() const {
  auto settings = os::terminal_settings(master_.get());
  return settings && (settings->c_lflag & ICANON) == 0 && (settings->c_iflag & ICRNL) == 0;
}

char ShellDriver::erase_key() const {
  auto settings = os::terminal_settings(master_.get());
  return settings ? static_cast<char>(settings->c_cc[VERASE]) : '\0';
}

// Whether the terminal has readline's modes and the shell waits for a key.
bool ShellDriver::edits_line() {
  if (!has_editor_mode()) return false;
  if (blind_) return shows_prompt_;
  auto call = waiting_call(shell_host_);
  if (!call) return false;
  if (call->number == kReadCall) return call->fd == 0 && call->size == 1;
  return (call->number == kSelectCall || call->number == kPselectCall) && call->fd == 1;
}

void ShellDriver::find_shell_host_pid() {
  shell_host_ = init_ == ::getpid() ? shell_ : 0;  // an agent is in the shell's PID namespace
  if (shell_host_ != 0) return;
  for (pid_t child : os::children_of(init_)) {
    if (os::namespace_pid(child) == shell_) shell_host_ = child;
  }
}

}  // namespace sf::waypoint
