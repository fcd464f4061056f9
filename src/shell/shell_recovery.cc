// How ShellDriver gets a shell back: commands that take too long, lines cut short by an interrupt,
// a terminal that somebody else holds.
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
constexpr int kPatientLooks = 250;            // about a second of them
constexpr int kMaxAsks = 3;                   // about a line of which nothing was heard
constexpr int kLostLooks = 5;                 // at a shell that lost its terminal

// The system call a process waits in, from /proc/<pid>/syscall: number, first and third argument.
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

// Interrupt, terminate, kill; then the shell itself, when the command is its own code and ignores
// all else.
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
  send_group_signal(gate_.open(), group, SIGCONT);  // a stopped job would never see it
}

// The command is code of the shell itself, or runs without job control (`set +m`) in the shell's
// own process group. An interrupt reaches all of the group, as from the keyboard; what is stronger
// reaches only what the command has started. What the shell starts in the background then ignores
// interrupts, and is spared as long as that helps.
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
  // Without sight a `read` looks like the prompt: only after an interrupt is it likely to be that.
  if (blind_ && active_->phase == Phase::kRunning && !active_->key_interrupt && !eager) return;
  const bool begins = active_->phase <= Phase::kLoading;
  // In this order: a shell that reads the line between the two looks is not at its prompt.
  if ((begins && !line_was_read()) || !at_prompt()) {
    active_->idle_looks = 0;
    if (active_->phase == Phase::kLoading && active_->holder_died) run_untold();
    return;
  }
  if (active_->phase == Phase::kReporting) {
    // Typed, read, and no answer: the script was out of reach (its holder killed). Try again for a
    // while.
    if (active_->phase_deadline.passed())
      return abandon(fail(
          ErrorCode::kBusy,
          "the shell no longer answers: /proc may be unmounted in the branch, or bash restricted",
          "end it with send_keys \"exit\\n\": a fresh shell takes its place"));
    if (os::has_typed(master_.get()).value_or(false)) return;  // not read yet
    if (++active_->asks > kMaxAsks) {
      // No line of ours works any more. What the command was to return nobody can tell.
      active_->next_look = Deadline::never();
      send_signal(gate_.open(), shell_host_, SIGKILL);
      return;
    }
    return type_report();
  }
  // Twice: between the end record and its reading here the shell looks the same for a moment.
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

// The line was read, and nothing was heard of it: its script was out of reach (see set_holder), and
// the next one has the new path; whether the command ran untold, the shell knows. Or the line
// became part of something unfinished that was typed before: an interrupt takes that back. Or the
// shell is in a state in which no line of ours works.
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

// What we typed went into something unfinished.
void ShellDriver::take_line_back() {
  (void)write_terminal(gate_.open(), master_.get(), "\x03");
  abandon(fail(ErrorCode::kBusy,
               "the shell did not take the command; the terminal shows: " + foreground_name(),
               "finish or interrupt what was typed there (send_keys \"\\x03\"), then try again"));
}

// No command runs in this shell any more: the user's functions, options, limits or mounts are in
// the way. A fresh one takes its place, and whoever wanted the command decides again: in another
// directory, without the variables, it may not be what they mean.
void ShellDriver::give_up_shell(std::string why) {
  std::string cause =
      "a function or alias named like a builtin, a builtin that is switched off, a restricted "
      "shell, too few descriptors, or /proc is not mounted";
  if (why == "names" || why == "status")
    cause = "a variable whose name begins with __wp_ is readonly or has an attribute";
  if (why == "file") cause = "it may not write files (ulimit -f)";
  active_->phase_deadline = Deadline::never();
  active_->next_look = Deadline::never();
  active_->deadline = Deadline::never();
  active_->giving_up = fail(
      ErrorCode::kBusy,
      std::string(active_->phase == Phase::kRunning
                      ? "the command ran, and the shell cannot tell its status"
                      : "the command did not run: the shell could not take it") +
          " (" + cause + "). The shell was restarted: its variables, functions and jobs are gone",
      "run the command again in the fresh shell; if it is refused again, look at /proc in the "
      "session (a command beside the shell still works)");
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

// The command was loaded, its start could not be told, and it takes its time.
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

// An interrupt can meet bash between starting a program and waiting for it. Bash is at its prompt
// then and believes to have no child, while the program holds the terminal. The next line makes
// bash wait for the program after all, and only then may that end: before, its end would make bash
// look at its input again, find itself in the background, and exit.
bool ShellDriver::has_lost_terminal() {
  bool interrupted = active_->key_interrupt || active_->interrupts > 0;
  return interrupted && !blind_ && foreground() != shell_host_;
}

void ShellDriver::regain_terminal() {
  const bool waits = !reads_line();
  if (active_->phase == Phase::kRunning && waits) {  // the program goes on, and so does the command
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

// Where a terminal does not tell its master (gVisor): what the shell has started since its last
// command and not stopped.
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

// The group's leader if it lives: of `seq 9 | less` only the second process may be left.
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
  // First: while our own script waits, descriptor 0 is a pipe, and the script may just be ending.
  auto input = os::read_link("/proc/" + std::to_string(shell_host_) + "/fd/0");
  if (!input || *input != kTerminalPath) return false;
  if (blind_) return os::process_state(shell_host_) == 'S';
  // `read -e` waits in the same editor. While a command runs, it is that command's.
  if (edits_line()) {
    if (active_ && active_->phase == Phase::kRunning) return false;
    return line_of_prompt_.value_in(shell_host_).value_or(0) == 0;
  }
  auto call = waiting_call(shell_host_);
  if (!call || call->number != kReadCall || call->fd != 0) return false;
  // The `read` builtin waits in a read() of another size than the shell's own input.
  if (prompt_read_ == 0 && !active_) prompt_read_ = call->size;
  return prompt_read_ == 0 || call->size == prompt_read_;
}

// `suspend`, or `kill -STOP $$`: no shell above this one would ever continue it.
void ShellDriver::wake_stopped_shell() {
  if (shell_host_ != 0 && os::process_state(shell_host_) == 'T')
    send_signal(gate_.open(), shell_host_, SIGCONT);
}

// readline takes each key as it comes, and Return as it is (`read -n` has it translated).
bool ShellDriver::has_editor_mode() const {
  auto settings = os::terminal_settings(master_.get());
  return settings && (settings->c_lflag & ICANON) == 0 && (settings->c_iflag & ICRNL) == 0;
}

char ShellDriver::erase_key() const {
  auto settings = os::terminal_settings(master_.get());
  return settings ? static_cast<char>(settings->c_cc[VERASE]) : '\0';
}

// In that mode readline waits for a key.
bool ShellDriver::edits_line() {
  if (!has_editor_mode()) return false;
  if (blind_) return shows_prompt_;
  auto call = waiting_call(shell_host_);
  if (!call) return false;
  if (call->number == kReadCall) return call->fd == 0 && call->size == 1;
  return (call->number == kSelectCall || call->number == kPselectCall) && call->fd == 1;
}

void ShellDriver::find_shell_host_pid() {
  shell_host_ = init_ == ::getpid() ? shell_ : 0;  // the agent of a substrate lives inside
  if (shell_host_ != 0) return;
  for (pid_t child : os::children_of(init_)) {
    if (os::namespace_pid(child) == shell_) shell_host_ = child;
  }
}

}  // namespace sf::waypoint
