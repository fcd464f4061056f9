#include "shell/shell_driver.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "os/terminal.h"
#include "shell/fresh_id.h"
#include "shell/permitted_calls.h"
#include "terminal/clean_text.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxBackground = 256U << 10U;
constexpr auto kStartTime = seconds(20);       // from typing a line to the shell's start record
constexpr auto kFirstLook = milliseconds(20);  // until the first check for an end without a record
constexpr auto kBlindLook = milliseconds(5);
constexpr auto kStartLook = milliseconds(1);   // for the first prompt of a shell
constexpr auto kInputLook = milliseconds(20);  // for a terminal that does not report its room
constexpr std::size_t kMaxRecent = 256;        // commands remembered for a catch-up
constexpr std::size_t kMaxRecentBytes = 1U << 20U;

}  // namespace

ShellDriver::ShellDriver(pid_t init, os::UniqueFd master, ShellChannel channel, Screen screen,
                         ChangeGate& gate)
    : init_(init),
      gate_(gate),
      master_(std::move(master)),
      channel_(std::move(channel)),
      screen_(std::move(screen)),
      input_(master_.get()),
      background_(kMaxBackground),
      blind_(!os::exists("/proc/self/syscall")) {}

bool ShellDriver::ready() {
  if (active_ || shell_ == 0 || input_.waits()) return false;
  if (!unsure_ && !shows_prompt_) return true;
  if (!at_prompt() || os::has_typed(master_.get()).value_or(false)) {
    wake_stopped_shell();
    return false;
  }
  unsure_ = foreign_command_ = false;
  starting_ = new_shell_ = Deadline::never();
  return true;
}

std::string ShellDriver::background_text() const {
  OutputBuffer copy = background_;
  return clean_text(copy.take());
}

void ShellDriver::run(const ChangePermit& /*permit*/, ExecRequest request, OutputSink sink,
                      Done done) {
  drain();
  screen_.forget_answers();  // the program that sent the queries has ended
  const std::size_t cap = request.max_output;
  active_.emplace(Active{++commands_,
                         std::move(request),
                         std::move(sink),
                         std::move(done),
                         Phase::kTyped,
                         OutputBuffer(cap),
                         {}});
  fingerprint_.reset();
  remember(active_->request.command);
  const ExecRequest& wanted = active_->request;
  if (wanted.always_fingerprint || (wanted.fingerprint && wants_fingerprint && wants_fingerprint()))
    active_->tag = fresh_id("@");
  active_->phase_deadline = Deadline::after(kStartTime);
  active_->next_look = Deadline::after(kRetypeLook);
  if (Status loaded = channel_.load_command(gate_.open(), active_->request.command); !loaded)
    return abandon(std::move(loaded).error());
  defines_switch_ = defines_switch_ || defines_editing_switch(active_->request.command);
  Status typed = shows_prompt_ ? type_plain_line() : type_line(std::nullopt);
  if (!typed) return abandon(std::move(typed).error());
}

Status ShellDriver::type_line(std::optional<int> status) {
  if (input_.has_part_of_line()) input_.take_part_of_line(gate_.open(), TerminalInput::Part::kDrop);
  active_->holder_died = false;
  active_->busy_looks = 0;
  const std::string& command = active_->request.command;
  const bool is_sourced = defines_switch_ || switches_editing(command) || runs_other_text(command);
  active_->lists = !is_sourced && may_define_switch_ && may_write_files();
  const RunBy by = is_sourced ? RunBy::kSource : active_->lists ? RunBy::kList : RunBy::kEval;
  return type_at_prompt(run_line(holder_, active_->number, command, by, active_->tag, status));
}

void ShellDriver::set_holder(pid_t holder) {
  script_is_old_ = script_is_old_ || holder_ != holder;
  if (active_) active_->asks = 0;
  holder_ = holder;
}

// A shell at its prompt is not reading the script, so the script may be rewritten.
Status ShellDriver::type_at_prompt(const std::string& line) {
  set_echo(false);
  if (script_is_old_) SF_TRY(channel_.write_script(gate_.open(), holder_));
  script_is_old_ = false;
  return write_terminal(gate_.open(), master_.get(), line);
}

void ShellDriver::remember(const std::string& command, long time) {
  recent_.push_back(command);
  recent_times_.push_back(time);
  recent_bytes_ += command.size();
  while (recent_.size() > kMaxRecent || recent_bytes_ > kMaxRecentBytes) {
    recent_bytes_ -= recent_.front().size();
    recent_.pop_front();
    recent_times_.pop_front();
  }
}

// A fingerprint has the times of the last history entries, one for each command.
void ShellDriver::note_times(const ShellFingerprint& fingerprint) {
  const std::size_t known = std::min(fingerprint.times.size(), recent_times_.size());
  std::copy(fingerprint.times.end() - static_cast<long>(known), fingerprint.times.end(),
            recent_times_.end() - static_cast<long>(known));
}

std::optional<std::vector<std::string>> ShellDriver::commands_since(long n) const {
  if (n > commands_ || static_cast<std::size_t>(commands_ - n) > recent_.size())
    return std::nullopt;
  return std::vector<std::string>(recent_.end() - (commands_ - n), recent_.end());
}

std::optional<std::vector<long>> ShellDriver::times_since(long n) const {
  if (n > commands_ || static_cast<std::size_t>(commands_ - n) > recent_.size())
    return std::nullopt;
  std::vector<long> times(recent_times_.end() - (commands_ - n), recent_times_.end());
  if (std::ranges::find(times, 0) != times.end()) return std::nullopt;
  return times;
}

void ShellDriver::catch_up(const ChangePermit& /*permit*/, const CatchUp& missed, Done done) {
  active_.emplace(
      Active{commands_, {}, {}, std::move(done), Phase::kReporting, OutputBuffer(0), {}});
  if (Status loaded = channel_.load_command(gate_.open(), catch_up_text(missed)); !loaded)
    return abandon(std::move(loaded).error());
  if (Status typed = type_at_prompt(catch_up_lines(holder_, active_->number, missed)); !typed)
    return abandon(std::move(typed).error());
}

void ShellDriver::on_terminal() { drain(); }

void ShellDriver::drain() {
  // A non-blocking read of the master flushes the kernel's queue first. So after EAGAIN, everything
  // that was written to the terminal before this call has been read.
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(master_.get(), buffer, sizeof buffer);
    if (n > 0) {
      take_output({buffer, static_cast<std::size_t>(n)});
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    return;  // EIO: no process has the terminal open
  }
}

void ShellDriver::show(std::string_view bytes) {
  screen_.feed(bytes);
  if (on_output) on_output(bytes);
  if (!screen_.answers().empty()) give_answers();
}

void ShellDriver::take_output(std::string_view bytes) {
  if (active_ && active_->leaving) {
    active_->paste_mode_off.feed(bytes);
    return;
  }
  // `set -v` shows the line that asks for the status.
  if (active_ && active_->phase == Phase::kReporting && active_->verbose) return;
  // on_start() decides whether this output is shown.
  if (active_ && active_->phase == Phase::kLoading) {
    active_->loading += bytes;
    return;
  }
  show(bytes);
  if (!active_ || active_->phase == Phase::kTyped || active_->entering) {
    background_.append(bytes);
    return;
  }
  active_->output.append(bytes);
  if (active_->sink) active_->sink(bytes);
}

void ShellDriver::on_record(const Record& record) {
  // A record of an earlier command does not apply to the current one.
  const bool stale = active_ && !record.numbers.empty() && record.numbers[0] != active_->number;
  switch (record.kind) {
    case Record::Kind::kLoad:
      if (!stale) on_load(record.text);
      (void)channel_.acknowledge(
          gate_.open(), record,
          !stale && active_ && active_->lists && defines_switch_ ? RunBy::kSource : RunBy::kEval);
      return;
    case Record::Kind::kTraced:
      if (!active_) return;
      active_->acts_at_prompt = active_->acts_at_prompt || active_->phase == Phase::kRunning;
      active_->traced = true;
      return;
    case Record::Kind::kStart:
      if (!stale) on_start();
      (void)channel_.acknowledge(gate_.open(), record);
      write_keys();
      return;
    case Record::Kind::kGone:
      if (!active_ || stale || !std::exchange(active_->asked, false)) return;
      type_again();
      return;
    case Record::Kind::kRefused:
      if (active_ && !stale) give_up_shell(record.text);
      return;
    case Record::Kind::kAsk:
      if (!stale && active_)
        active_->looked = active_->phase == Phase::kRunning && may_fingerprint &&
                          may_fingerprint() && may_write_files();
      (void)channel_.allow_fingerprint(gate_.open(), record, !stale && active_ && active_->looked);
      return;
    case Record::Kind::kEnd:
      if (active_ && active_->entering)
        end_entering();
      else if (active_ && active_->leaving && !stale)
        end_leaving(record.text);
      else if (active_ && !stale && active_->phase == Phase::kTyped)
        type_again();  // the end of a line that could not load its command
      else if (active_ && !stale && active_->phase == Phase::kLoading && !active_->holder_died)
        give_up_shell("load");
      else if (!stale)
        on_end(static_cast<int>(record.numbers[1]), record.text);
      (void)channel_.acknowledge(gate_.open(), record);
      return;
    case Record::Kind::kShell:
      shell_ = static_cast<pid_t>(record.numbers[0]);
      // Do not type before the shell shows its prompt. If bash starts on a terminal without echo,
      // it takes that setting as the default, and restores it after each program that a signal has
      // killed.
      unsure_ = true;
      starting_ = Deadline::after(kStartTime);
      find_shell_host_pid();
      return;
    case Record::Kind::kExited:
      if (active_ && record.numbers[0] == holder_) active_->holder_died = true;
      if (record.numbers[0] == shell_) on_shell_exit(static_cast<int>(record.numbers[1]));
      return;
    default:
      return;
  }
}

void ShellDriver::on_load(const std::string& flags) {
  drain();  // earlier output was printed between the commands
  if (!active_) return;
  if (active_->lists) {
    auto list = channel_.loaded_text();
    defines_switch_ = !list || list_switches_editing(*list);
    may_define_switch_ = false;
  }
  // plain_line() or the list has overwritten the command's memory file.
  if (active_->left || active_->lists)
    (void)channel_.load_command(gate_.open(), active_->request.command);
  if (active_->phase == Phase::kTyped) active_->phase = Phase::kLoading;
  // The flags are the shell's `set -x` and `set -v`: the ones that are on now, a comma, and the
  // ones that are switched off until the command starts.
  active_->traced = active_->traced || !flags.starts_with(',');
  active_->verbose = flags.find('v') != std::string::npos;
}

void ShellDriver::on_start() {
  drain();
  // This is output of background jobs, unless `set -x`, `set -v` or a DEBUG trap showed our lines.
  if (active_ && !active_->traced && !active_->loading.empty()) {
    show(active_->loading);
    background_.append(active_->loading);
  }
  set_echo(true);
  if (active_ && active_->phase == Phase::kLoading) begin_running();
}

void ShellDriver::begin_running() {
  active_->phase = Phase::kRunning;
  active_->phase_deadline = Deadline::never();
  active_->next_look = Deadline::after(kFirstLook);
  active_->began_at = os::start_time_now();
  if (milliseconds timeout = active_->request.timeout; timeout.count() > 0)
    active_->deadline = Deadline::after(timeout);
}

// The shell waits for the answer to its record, so it does not read typed keys during this call.
void ShellDriver::on_end(int status, const std::string& flags) {
  drain();
  if (input_.has_part_of_line()) input_.look_at_part_of_line();
  may_act_ = flags.find('t') != std::string::npos;
  if (flags.find('p') != std::string::npos) {  // PROMPT_COMMAND may read typed keys
    unsure_ = true;
    starting_ = Deadline::after(kStartTime);
  }
  if (active_) {
    active_->verbose_end = flags.find('v') != std::string::npos;
    if (active_->looked && active_->phase == Phase::kRunning && !active_->acts_at_prompt) {
      if (auto text = channel_.loaded_text()) fingerprint_ = parse_fingerprint(*text, active_->tag);
      if (fingerprint_) note_times(*fingerprint_);
    }
    last_status_ = status;
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
  unsure_ = foreign_command_ = false;
  prompt_wanted_ = std::exchange(shows_prompt_, false);
  defines_switch_ = history_off_ = false;
  may_define_switch_ = true;
  fingerprint_.reset();
  may_act_ = true;
  last_status_ = 0;
  if (!active_) ended_between_ = true;
  if (active_ && active_->giving_up) {
    if (!restart_shell()) new_shell_ = Deadline::after(kStartTime);
    return abandon(std::move(*active_->giving_up));
  }
  // If the command was loaded and no record followed, the command may have ended the shell.
  bool began = active_ && (active_->phase >= Phase::kRunning ||
                           (active_->phase == Phase::kLoading && active_->holder_died));
  // The keys were typed for the shell that ended. On any terminal, a hang-up discards them.
  if (!active_ || began) input_.discard(gate_.open());
  if (began) finish(os::ExitStatus::from_wait(wait_status).shell_code(), true);
  std::optional<Error> failure = restart_shell();
  if (!failure) new_shell_ = Deadline::after(kStartTime);
  if (!active_) return;
  if (failure) return abandon(std::move(*failure));
  // The command has not started, so look_for_prompt() types it to the next shell.
  active_->phase = Phase::kTyped;
  active_->phase_deadline = Deadline::after(kStartTime);
  active_->next_look = Deadline::after(kEagerLook);
  active_->shell_restarted = true;
}

void ShellDriver::finish(int exit_code, bool shell_restarted) {
  drop_answers();
  note_jobs();
  Active done = std::move(*active_);
  active_.reset();
  may_define_switch_ = may_define_switch_ || may_define_functions(done.request.command);
  if (done.phase == Phase::kLoading) {  // the command ran without a start record
    show(done.loading);
    done.output.append(done.loading);
  }
  set_echo(true);
  if (done.phase != Phase::kRunning)
    input_.take_back(gate_.open(), kInterruptKey);  // the command to interrupt has ended
  write_keys();
  Observation result;
  result.exit_code = exit_code;
  result.shell_restarted =
      std::exchange(ended_between_, false) || shell_restarted || done.shell_restarted;
  result.timed_out = done.timed_out;
  result.duration = done.watch.elapsed();
  result.output_bytes = done.output.total_bytes();
  result.truncated = done.output.truncated();
  result.raw_hash = done.output.hash();
  std::string raw = done.output.take();
  std::string background = background_.take();
  drop_echo(done, raw);
  result.output = clean_text(raw);
  if (done.request.raw) result.raw = std::move(raw);
  result.background = clean_text(background);
  done.done(std::move(result));
}

// `set -v` shows each line that the shell reads, including the tail line after the command.
void ShellDriver::drop_echo(const Active& done, std::string& raw) {
  std::string tail(kTailLine);
  tail += "\r\n";
  if (done.verbose_end && raw.ends_with(tail)) raw.resize(raw.size() - tail.size());
}

void ShellDriver::abandon(Error error) {
  Active failed = std::move(*active_);
  active_.reset();
  may_define_switch_ = true;
  set_echo(true);
  unsure_ = true;
  write_keys();
  failed.done(std::move(error));
}

void ShellDriver::on_time() {
  on_input_room();
  look_at_start();
  if (next_answer_.passed()) give_answers();
  if (!active_ || active_->giving_up) return;
  if (active_->entering) return look_while_entering();
  if (blind_) drain();  // gVisor does not always report that a terminal is readable
  if (active_->phase <= Phase::kLoading && active_->phase_deadline.passed())
    return take_line_back();
  if (active_->phase == Phase::kRunning && active_->deadline.passed()) interrupt();
  if (active_->phase == Phase::kReporting && active_->phase_deadline.passed() && !at_prompt()) {
    // The shell has read the line and hangs in it. Only a new shell is usable.
    active_->phase_deadline = Deadline::never();
    send_signal(gate_.open(), shell_host_, SIGKILL);
  }
  if (active_ && active_->next_look.passed())
    active_->awaits_prompt ? type_after_leaving() : look_for_prompt();
}

Deadline ShellDriver::next_wake() const {
  const bool has_keys = input_.waits() && !holds_keys();
  const Deadline input = has_keys ? next_answer_.min(Deadline::after(kInputLook)) : next_answer_;
  if (!active_) {
    if (is_starting()) return input.min(Deadline::after(kStartLook));
    return new_shell_.passed() ? input : input.min(new_shell_);
  }
  Deadline wake = input.min(active_->deadline).min(active_->phase_deadline).min(active_->next_look);
  return blind_ ? wake.min(Deadline::after(kBlindLook)) : wake;
}

void ShellDriver::set_echo(bool on) {
  if (on && !echo_off_) return;  // the user switched echo off, not the driver
  auto settings = os::terminal_settings(master_.get());
  if (!settings) return;
  // echo_off_ does not prove that echo is off: an interrupted line editor restores its settings.
  if (!on && (settings->c_lflag & ECHO) == 0) return;
  settings->c_lflag =
      on ? settings->c_lflag | ECHO : settings->c_lflag & ~static_cast<tcflag_t>(ECHO);
  if (change_terminal(gate_.open(), master_.get(), *settings)) echo_off_ = !on;
}

ShellState ShellDriver::state() {
  ShellState state;
  state.shell = shell_;
  state.holder = holder_;
  state.prompt_read = prompt_read_;
  state.commands = commands_;
  state.command_running = active_.has_value() || foreign_command_;
  state.request_pending = channel_.request_pending();
  OutputBuffer background = background_;
  if (active_) {
    OutputBuffer output = active_->output;
    background.append(output.take());
  }
  state.background = background.take();
  state.shows_prompt = shows_prompt_;
  state.defines_switch = defines_switch_;
  state.history_off = history_off_;
  state.screen = screen_.save();
  state.may_act = may_act_;
  if (unsure_ || active_) {
    if (auto typed = look_at_typed(master_.get())) state.typed = std::move(*typed);
  }
  state.waiting = input_.waiting();
  return state;
}

void ShellDriver::adopt(const ShellState& state) {
  shell_ = state.shell;
  holder_ = state.holder;
  prompt_read_ = state.prompt_read;
  commands_ = state.commands;
  shows_prompt_ = state.shows_prompt;
  defines_switch_ = state.defines_switch;
  history_off_ = state.history_off;
  foreign_command_ = state.command_running;
  may_act_ = state.may_act;
  channel_.set_request_pending(state.request_pending);
  unsure_ = state.command_running || !state.typed.empty() || !state.waiting.empty();
  replace_typed(gate_.open(), master_.get(), state.typed);
  input_.adopt(state.waiting, state.typed);
  background_.append(state.background);
  if (state.catch_up) {
    const CatchUp& missed = *state.catch_up;
    for (std::size_t i = 0; i < missed.commands.size(); ++i)
      remember(missed.commands[i], i < missed.times.size() ? missed.times[i] : 0);
  }
  find_shell_host_pid();
  if (!screen_.answers().empty()) next_answer_ = Deadline::after(kEagerLook);
}

}  // namespace sf::waypoint
