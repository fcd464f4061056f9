#include "waypoint/shell_driver.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "os/terminal.h"
#include "waypoint/terminal/clean_text.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxBackground = 256U << 10U;
constexpr auto kStartTime = seconds(20);      // from typing a line to the shell's start record
constexpr auto kInterruptPause = seconds(1);  // between SIGINT, SIGTERM and SIGKILL
constexpr auto kFirstLook =
    milliseconds(20);  // how soon a running command is checked for a silent end
constexpr auto kRetypeLook = milliseconds(300);
constexpr auto kLaterLook = milliseconds(100);
constexpr auto kEagerLook = milliseconds(4);  // after an interrupt: the end is expected
constexpr auto kReportTime = seconds(10);     // to get a status out of a shell at its prompt
constexpr int kKillShellAfter = 5;            // interrupts

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

}  // namespace

ShellDriver::ShellDriver(pid_t init, os::UniqueFd master, ShellChannel channel, Screen screen)
    : init_(init),
      master_(std::move(master)),
      channel_(std::move(channel)),
      screen_(std::move(screen)),
      background_(kMaxBackground) {}

bool ShellDriver::ready() {
  if (active_ || shell_ == 0) return false;
  if (!unsure_) return true;
  if (!at_prompt()) return false;
  unsure_ = false;
  foreign_command_ = false;
  return true;
}

std::string ShellDriver::foreground_name() const {
  pid_t group = os::foreground_group(master_.get());
  return group > 0 ? os::command_line(group) : std::string("nothing");
}

std::string ShellDriver::background_text() const {
  OutputBuffer copy = background_;
  return clean_text(copy.take());
}

pid_t ShellDriver::foreground_group() const {
  pid_t group = os::foreground_group(master_.get());
  return group > 0 ? os::namespace_pid(group).value_or(shell_) : shell_;
}

void ShellDriver::run(ExecRequest request, OutputSink sink, Done done) {
  drain();
  std::size_t cap = request.max_output;
  active_.emplace(Active{++commands_,
                         std::move(request),
                         std::move(sink),
                         std::move(done),
                         Phase::kTyped,
                         OutputBuffer(cap),
                         {}});
  active_->phase_deadline = Deadline::after(kStartTime);
  active_->next_look = Deadline::after(kRetypeLook);
  if (Status loaded = channel_.load_command(active_->request.command); !loaded)
    return abandon(std::move(loaded).error());
  set_echo(false);
  if (Status typed = os::write_all(master_.get(),
                                   run_line(holder_, active_->number, active_->request.command));
      !typed)
    return abandon(std::move(typed).error());
}

Status ShellDriver::type(std::string_view bytes) {
  unsure_ = true;
  return os::write_all(master_.get(), bytes);
}

void ShellDriver::on_terminal() { drain(); }

void ShellDriver::drain() {
  // A non-blocking read of the master flushes the kernel's queue first: EAGAIN means that
  // everything written to the terminal before this call has been seen.
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(master_.get(), buffer, sizeof buffer);
    if (n > 0) {
      take_output({buffer, static_cast<std::size_t>(n)});
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EIO) hung_up_ = true;  // no process has the terminal open
    return;
  }
}

void ShellDriver::take_output(std::string_view bytes) {
  screen_.feed(bytes);
  if (on_output) on_output(bytes);
  if (!active_ || active_->phase == Phase::kTyped) {
    background_.append(bytes);
    return;
  }
  if (active_->phase == Phase::kLoading) {
    active_->loading += bytes;
    return;
  }
  active_->output.append(bytes);
  if (active_->sink) active_->sink(bytes);
}

void ShellDriver::on_record(const Record& record) {
  // A record of an earlier command, cut short meanwhile, says nothing about the one under way.
  bool stale = active_ && !record.numbers.empty() && record.numbers[0] != active_->number;
  switch (record.kind) {
    case Record::Kind::kLoad:
      if (!stale) on_load(record.text);
      (void)channel_.acknowledge(record);
      return;
    case Record::Kind::kTraced:
      if (active_) active_->traced = true;
      return;
    case Record::Kind::kStart:
      if (!stale) on_start();
      (void)channel_.acknowledge(record);
      return;
    case Record::Kind::kEnd:
      if (!stale) on_end(static_cast<int>(record.numbers[1]), !record.text.empty());
      (void)channel_.acknowledge(record);
      return;
    case Record::Kind::kShell:
      shell_ = static_cast<pid_t>(record.numbers[0]);
      find_shell_host_pid();
      hung_up_ = false;
      return;
    case Record::Kind::kExited:
      if (record.numbers[0] == shell_) on_shell_exit(static_cast<int>(record.numbers[1]));
      return;
    default:
      return;
  }
}

void ShellDriver::on_load(const std::string& flags) {
  drain();  // what was printed before belongs to the time between the commands
  if (!active_) return;
  if (active_->phase == Phase::kTyped) active_->phase = Phase::kLoading;
  active_->traced = active_->traced || !flags.empty();
  active_->verbose = flags.find('v') != std::string::npos;
}

void ShellDriver::on_start() {
  drain();
  // A job's output, unless `set -x`, `set -v` or a DEBUG trap made our own plumbing show.
  if (active_ && !active_->traced) background_.append(active_->loading);
  set_echo(true);
  if (active_ && active_->phase == Phase::kLoading) {
    active_->phase = Phase::kRunning;
    active_->phase_deadline = Deadline::never();
    active_->next_look = Deadline::after(kFirstLook);
    if (milliseconds timeout = active_->request.timeout; timeout.count() > 0)
      active_->deadline = Deadline::after(timeout);
  }
}

void ShellDriver::on_end(int status, bool verbose) {
  drain();
  if (active_) {
    active_->verbose_end = verbose;
    finish(status, false);
  } else {
    foreign_command_ = false;
  }
}

void ShellDriver::on_shell_exit(int wait_status) {
  drain();
  shell_ = 0;
  shell_host_ = 0;
  echo_off_ = false;
  unsure_ = false;
  foreign_command_ = false;
  bool began = active_ && active_->phase >= Phase::kRunning;
  if (began) finish(os::ExitStatus::from_wait(wait_status).shell_code(), true);
  std::optional<Error> failure = restart_shell();
  if (!active_) return;
  if (failure) return abandon(std::move(*failure));
  // The command had not begun: the next shell gets it (look_for_prompt).
  active_->phase = Phase::kTyped;
  active_->phase_deadline = Deadline::after(kStartTime);
  active_->next_look = Deadline::after(kEagerLook);
  active_->shell_restarted = true;
}

void ShellDriver::finish(int exit_code, bool shell_restarted) {
  Active done = std::move(*active_);
  active_.reset();
  set_echo(true);
  ExecResult result;
  result.exit_code = exit_code;
  result.shell_restarted = shell_restarted || done.shell_restarted;
  result.timed_out = done.timed_out;
  result.duration = done.watch.elapsed();
  result.output_bytes = done.output.total_bytes();
  result.truncated = done.output.truncated();
  std::string raw = done.output.take();
  std::string background = background_.take();
  drop_echoes(done, raw, background);
  result.output = clean_text(raw);
  if (done.request.raw) result.raw = std::move(raw);
  result.background = clean_text(background);
  done.done(std::move(result));
}

// `set -v` shows each line the shell reads: ours too.
void ShellDriver::drop_echoes(const Active& done, std::string& raw, std::string& background) const {
  const std::string tail = std::string(kTailLine) + "\r\n";
  if (done.verbose_end && raw.ends_with(tail)) raw.resize(raw.size() - tail.size());
  auto drop = [&](const std::string& line) {
    std::string echoed = line.substr(0, line.size() - 1) + "\r\n";
    if (std::size_t at = background.find(echoed); at != std::string::npos)
      background.erase(at, echoed.size());
  };
  if (done.verbose) drop(run_line(holder_, done.number, done.request.command));
  if (done.verbose_end) drop(report_line(holder_, done.number));
}

void ShellDriver::abandon(Error error) {
  Active failed = std::move(*active_);
  active_.reset();
  set_echo(true);
  unsure_ = true;
  failed.done(std::move(error));
}

void ShellDriver::on_time() {
  if (!active_) return;
  if (active_->phase <= Phase::kLoading && active_->phase_deadline.passed()) {
    (void)os::write_all(master_.get(),
                        "\x03");  // what we typed went into something unfinished: take it back
    return abandon(
        fail(ErrorCode::kBusy,
             "the shell did not take the command; the terminal shows: " + foreground_name(),
             "finish or interrupt what was typed there (send_keys \"\\x03\"), then try again"));
  }
  if (active_->phase == Phase::kRunning && active_->deadline.passed()) interrupt();
  if (active_ && active_->next_look.passed()) look_for_prompt();
}

Deadline ShellDriver::next_wake() const {
  if (!active_) return Deadline::never();
  return active_->deadline.min(active_->phase_deadline).min(active_->next_look);
}

// Interrupt, terminate, kill; then the shell itself, when the command is its own code and ignores
// all else.
void ShellDriver::interrupt() {
  active_->timed_out = true;
  int stage = ++active_->interrupts;
  if (stage == 1) signal_foreground(SIGINT);
  if (stage == 2) signal_foreground(SIGTERM);
  if (stage >= 3) {
    signal_foreground(SIGKILL);
    if (shell_host_ > 0) ::kill(shell_host_, stage >= kKillShellAfter ? SIGKILL : SIGINT);
  }
  active_->deadline = Deadline::after(kInterruptPause);
  active_->next_look = Deadline::after(kEagerLook);
}

void ShellDriver::signal_foreground(int number) {
  pid_t group = os::foreground_group(master_.get());
  if (group <= 0) return;
  if (group == shell_host_) {
    if (number != SIGKILL) ::kill(shell_host_, number);
    return;
  }
  ::kill(-group, number);
  ::kill(-group, SIGCONT);  // a stopped job would never see it
}

void ShellDriver::look_for_prompt() {
  bool eager = active_->interrupts > 0;
  active_->next_look = Deadline::after(eager ? kEagerLook : kLaterLook);
  if (active_->phase == Phase::kLoading || !at_prompt()) {
    active_->idle_looks = 0;
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
    return type_report();
  }
  // Twice: between the end record and its reading here the shell looks the same for a moment.
  if (++active_->idle_looks < 2) {
    active_->next_look = Deadline::after(kEagerLook);
    return;
  }
  if (active_->phase == Phase::kTyped) {
    // The line was read and led nowhere: its script was out of reach (see set_holder). The next one
    // has the new path.
    active_->next_look = Deadline::after(kRetypeLook);
    (void)os::write_all(master_.get(),
                        run_line(holder_, active_->number, active_->request.command));
    return;
  }
  active_->phase = Phase::kReporting;
  active_->deadline = Deadline::never();
  active_->phase_deadline = Deadline::after(kReportTime);
  type_report();
}

void ShellDriver::type_report() {
  active_->next_look = Deadline::after(kLaterLook);
  os::discard_typed(master_.get());
  set_echo(false);
  (void)os::write_all(master_.get(), report_line(holder_, active_->number));
}

bool ShellDriver::at_prompt() {
  if (shell_host_ <= 0) find_shell_host_pid();
  if (shell_host_ <= 0 || os::foreground_group(master_.get()) != shell_host_) return false;
  auto call = waiting_call(shell_host_);
  if (!call || call->number != kReadCall || call->fd != 0) return false;
  // The `read` builtin waits in a read() of another size than the shell's own input.
  if (prompt_read_ == 0 && !active_) prompt_read_ = call->size;
  return prompt_read_ == 0 || call->size == prompt_read_;
}

void ShellDriver::find_shell_host_pid() {
  shell_host_ = 0;
  for (pid_t child : os::children_of(init_)) {
    if (os::namespace_pid(child) == shell_) shell_host_ = child;
  }
}

void ShellDriver::set_echo(bool on) {
  if (on != echo_off_) return;  // only what we switched off is switched on again
  auto settings = os::terminal_settings(master_.get());
  if (!settings) return;
  if (!on && (settings->c_lflag & ECHO) == 0) return;
  settings->c_lflag =
      on ? settings->c_lflag | ECHO : settings->c_lflag & ~static_cast<tcflag_t>(ECHO);
  if (os::set_terminal_settings(master_.get(), *settings)) echo_off_ = !on;
}

ShellState ShellDriver::state() {
  ShellState state;
  state.shell = shell_;
  state.holder = holder_;
  state.prompt_read = prompt_read_;
  state.commands = commands_;
  state.command_running = active_.has_value() || foreign_command_;
  OutputBuffer background = background_;
  if (active_) {
    OutputBuffer output = active_->output;
    background.append(output.take());
  }
  state.background = background.take();
  state.screen = screen_.save();
  if (unsure_ || active_) {
    if (auto typed = os::take_typed(master_.get())) {
      state.typed = std::move(*typed);
      (void)os::put_typed(master_.get(), state.typed);
    }
  }
  return state;
}

void ShellDriver::adopt(const ShellState& state) {
  shell_ = state.shell;
  holder_ = state.holder;
  prompt_read_ = state.prompt_read;
  commands_ = state.commands;
  foreign_command_ = state.command_running;
  unsure_ = state.command_running || !state.typed.empty();
  (void)os::put_typed(master_.get(), state.typed);
  background_.append(state.background);
  find_shell_host_pid();
}

}  // namespace sf::waypoint
