// ShellDriver: runs commands, one at a time, in the long-lived shell on the branch's terminal.
//
// The driver types a command as one short line (shell_protocol.h) when the shell waits at its
// prompt. The shell's start and end records delimit the command's terminal output; output between
// commands is kept as background output. If an interrupt ends the typed line, the shell waits at
// its prompt again without having sent an end record. The driver detects this in /proc and asks the
// shell for the status. Event-driven: the keeper calls the on_ functions and on_time(); no function
// here blocks.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/command.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/terminal.h"
#include "shell/change_gate.h"
#include "shell/exported_variable.h"
#include "shell/shell_channel.h"
#include "shell/shell_fingerprint.h"
#include "shell/stream_search.h"
#include "shell/terminal_input.h"
#include "terminal/output_buffer.h"
#include "terminal/screen.h"

namespace sf::waypoint {

// The driver's state that a checkpoint saves in addition to the processes.
struct ShellState {
  pid_t shell = 0;  // pids are those in the branch
  pid_t holder = 1;
  unsigned long prompt_read =
      0;              // size of the read() in which this bash waits for a line; 0: unknown
  long commands = 0;  // number of commands so far
  bool command_running = false;     // a command is in the foreground
  bool request_pending = false;     // init has a request that it has not reported as served
  std::string background;           // printed since the last command ended, not yet reported
  std::string screen;               // Screen::save()
  bool may_act = false;             // ShellDriver::may_act()
  os::TypedAhead typed;             // keys in the terminal that no process has read yet
  std::string waiting;              // later keys, which the terminal has not accepted yet
  bool shows_prompt = false;        // keys were typed since the last command
  bool defines_switch = false;      // ShellDriver::defines_switch_
  bool history_off = false;         // ShellDriver::history_off_
  std::optional<CatchUp> catch_up;  // set if the processes are older than this state
};

class ShellDriver {
 public:
  using Done = std::function<void(Result<Observation>)>;

  // `gate`: the branch's gate. The driver opens it when it types, writes or sends signals because
  // of an event or a timer.
  ShellDriver(pid_t init, os::UniqueFd master, ShellChannel channel, Screen screen,
              ChangeGate& gate);

  int master_fd() const { return master_.get(); }
  ShellChannel& channel() { return channel_; }
  Screen& screen() { return screen_; }

  // Whether run() may be called now: no command runs and the shell is at its prompt.
  bool ready();
  bool busy() const { return active_.has_value(); }
  // Whether the shell has not reached its prompt yet: it is new, or it runs PROMPT_COMMAND.
  bool is_starting() const { return !starting_.is_never() && !starting_.passed(); }
  // The background output that was not reported yet.
  std::string background_text() const;
  // The command line of the foreground process, for an error message.
  std::string foreground_name() const;
  // The terminal's foreground process group in the branch's PID namespace.
  pid_t foreground_group() const;
  void run(const ChangePermit& permit, ExecRequest request, OutputSink sink, Done done);
  // Types all bytes or none. Bytes that the terminal does not accept yet wait in a queue; the next
  // command waits for them, too.
  Result<TypedKeys> type(const ChangePermit& permit, std::string_view bytes);
  // Makes the shell show its prompt, before a user types. No effect while a command runs.
  Status show_prompt(const ChangePermit& permit);
  // Whether keys must wait until the shell shows its prompt. Before that, the terminal does not
  // have the modes on which the encoding of keys and pastes depends.
  bool needs_prompt() { return is_entering() || (!active_ && rests()); }
  bool is_entering() const { return active_ && active_->entering; }
  bool shows_prompt() const { return shows_prompt_; }
  // Applies a CatchUp to a restored shell that is older than the state to restore.
  void catch_up(const ChangePermit& permit, const CatchUp& missed, Done done);

  // The shell's state after its last command, if it was fingerprinted and unchanged since.
  const std::optional<ShellFingerprint>& fingerprint() const { return fingerprint_; }
  void forget_fingerprint() { fingerprint_.reset(); }
  int last_status() const { return last_status_; }
  long commands() const { return commands_; }
  // The texts of the commands after the n-th; empty if they are no longer remembered.
  std::optional<std::vector<std::string>> commands_since(long n) const;
  // The times of their history entries; empty if the fingerprints did not contain all of them.
  std::optional<std::vector<long>> times_since(long n) const;
  // Whether a program has sent the terminal a query and its answer is not typed yet.
  bool owes_answers() const { return !screen_.answers().empty(); }
  // Whether the shell may act by itself at its prompt: TMOUT is set, after which it logs out; or
  // keys were typed or the shell is new, and no command has ended since.
  bool may_act() const { return may_act_; }
  bool waits_at_prompt() { return !active_ && !unsure_ && !input_.waits() && at_prompt(); }

  void on_terminal();    // the master became readable, or hung up; reads everything available
  void on_input_room();  // a process has read from the terminal
  // Whether keys wait until a process reads from the terminal.
  bool input_waits() const { return input_.waits(); }
  void on_record(const Record& record);
  void on_time();
  Deadline next_wake() const;

  // Whether a checkpoint may be taken: not during a rendezvous with the shell, and not between the
  // end of a shell and the first prompt of the next one.
  bool at_rest() const {
    return active_ ? active_->phase == Phase::kRunning
                   : new_shell_.is_never() || new_shell_.passed();
  }
  // Requires: at_rest(), and the tree is stopped.
  ShellState state();
  // Continues from a restored tree. Requires: `state` was saved with it.
  void adopt(const ShellState& state);
  void set_holder(pid_t holder);
  pid_t shell() const { return shell_; }
  pid_t shell_host() const { return shell_host_; }
  // Called with whether keys wait. While they do, the caller must call on_input_room().
  std::function<void(bool)> on_input_waits;
  // Called with everything that the terminal prints.
  OutputSink on_output;
  // wants_fingerprint: whether a fingerprint after the next command is likely to be useful.
  // may_fingerprint: called when that command has ended; whether a fingerprint is safe.
  std::function<bool()> wants_fingerprint;
  std::function<bool()> may_fingerprint;
  // Called when the shell has ended. Starts a new one, or returns the reason why it cannot.
  std::function<std::optional<Error>()> restart_shell;

 private:
  static constexpr milliseconds kEagerLook{4};  // after an interrupt, when the end is expected
  static constexpr milliseconds kRetypeLook{100};
  static constexpr char kInterruptKey = '\x03';
  static constexpr std::string_view kPasteModeOff = "\x1b[?2004l";  // switches bracketed paste off
  enum class Phase { kTyped, kLoading, kRunning, kReporting };
  struct Active {
    long number = 0;
    ExecRequest request;
    OutputSink sink;
    Done done;
    Phase phase = Phase::kTyped;
    OutputBuffer output;
    Stopwatch watch;
    Deadline deadline = Deadline::never();
    Deadline phase_deadline = Deadline::never();
    Deadline next_look = Deadline::never();
    unsigned long long began_at = 0;  // in the unit of os::ProcessKey::start_time
    int interrupts = 0;
    int idle_looks = 0;
    int lost_looks = 0;
    bool key_interrupt = false;  // an interrupt key was typed
    int busy_looks = 0;
    bool holder_died = false;        // since the line was typed, so the shell's records may be lost
    bool asked = false;              // ask_line() was typed and not answered yet
    int asks = 0;                    // ask or report lines typed with the current holder
    bool entering = false;           // no command: the driver makes the shell show its prompt
    bool entered = false;            // the shell has reported that it will show the prompt
    bool leaving = false;            // the driver makes the shell rest, and drops its editor's echo
    bool left = false;               // the shell rests again
    bool awaits_prompt = false;      // the shell runs PROMPT_COMMAND, which may read typed keys
    std::optional<Error> giving_up;  // the shell cannot run commands any more, and was killed
    bool shell_restarted = false;
    bool timed_out = false;
    bool traced = false;   // drop the output between load and start: it shows our own lines
    bool verbose = false;  // `set -v` would show a line that we type while the command runs
    bool verbose_end = false;
    bool acts_at_prompt = false;  // a trap would also run for a catch-up
    bool looked = false;
    bool lists = false;   // the shell lists its functions and aliases first (RunBy::kList)
    std::string tag;      // starts the lines between the parts of the requested fingerprint
    std::string loading;  // printed between load and start
    // Finds in the dropped echo whether it switched bracketed paste off.
    StreamSearch paste_mode_off{kPasteModeOff};
  };

  void drain();
  void take_output(std::string_view bytes);
  void show(std::string_view bytes);  // on the screen, and to on_output
  void on_load(const std::string& flags);
  void on_start();
  void on_end(int status, const std::string& flags);
  void on_shell_exit(int wait_status);
  void finish(int exit_code, bool shell_restarted);
  void remember(const std::string& command, long time = 0);
  void note_times(const ShellFingerprint& fingerprint);
  static void drop_echo(const Active& done, std::string& raw);
  void abandon(Error error);
  // Whether keys must wait: there is no shell, it has not shown its prompt, or it reads a line with
  // which we start or end a command.
  bool holds_keys() const {
    return shell_ == 0 || (active_ ? active_->phase != Phase::kRunning : is_starting());
  }
  void write_keys();
  void give_answers();
  void drop_answers();
  bool rests();  // whether the shell must show its prompt before keys are typed
  Status enter_editing();
  void look_at_start();
  Status type_enter_line();
  Status type_plain_line();
  void look_while_entering();
  void end_entering();
  void end_leaving(const std::string& flags);
  void type_after_leaving();
  bool edits_line();             // whether the shell waits for a line in its editor
  bool has_editor_mode() const;  // whether the terminal is set as the editor sets it
  char erase_key() const;
  void wake_stopped_shell();
  void give_up_shell(std::string why);
  bool may_write_files() const;
  Status type_line(std::optional<int> status);
  Status type_at_prompt(const std::string& line);
  void type_again();
  void ask_about_line();
  void take_line_back();
  // Whether the shell has read the line that starts the command. Requires: it is at its prompt.
  bool line_was_read() const;
  void begin_running();
  void run_untold();
  void look_for_prompt();
  void type_report();
  void interrupt();
  void signal_foreground(int number);
  bool at_prompt();
  bool reads_line();  // whether the shell waits for a line, even if another group has the terminal
  bool has_lost_terminal();
  pid_t foreground() const;         // the foreground group, in the keeper's PID namespace
  pid_t foreground_member() const;  // a live process of that group; 0: none
  void signal_own_group(int stage);
  void note_jobs();
  void regain_terminal();
  void begin_report();
  void find_shell_host_pid();
  void set_echo(bool on);

  pid_t init_;
  ChangeGate& gate_;
  os::UniqueFd master_;
  ShellChannel channel_;
  Screen screen_;
  TerminalInput input_;
  OutputBuffer background_;
  std::optional<Active> active_;
  pid_t shell_ = 0;       // in the branch's PID namespace
  pid_t shell_host_ = 0;  // in the keeper's PID namespace
  pid_t holder_ = 1;
  bool script_is_old_ = false;  // its paths lead through an earlier holder
  unsigned long prompt_read_ = 0;
  long commands_ = 0;
  std::deque<std::string> recent_;  // the last commands
  std::deque<long> recent_times_;   // of their entries in the history; 0: unknown
  std::size_t recent_bytes_ = 0;
  std::optional<ShellFingerprint> fingerprint_;
  int last_status_ = 0;
  bool defines_switch_ = false;  // functions or aliases may switch the editor (switches_editing)
  bool history_off_ = false;     // the user typed `set +o history`
  bool shows_prompt_ = false;    // the shell is not at rest: keys were typed since the last command
  bool prompt_wanted_ = false;   // that shell has ended: the next one is to show its prompt
  bool ended_between_ = false;   // a shell ended while no command ran; not reported yet
  bool echo_off_ = false;        // we switched it off to type a line
  bool unsure_ = false;          // keys were typed or a foreign command runs: check before typing
  bool may_act_ = false;
  // Functions or aliases may have been defined since the shell listed them (RunBy::kList).
  bool may_define_switch_ = true;
  // Of bash: 0 while the editor of its prompt waits for a line; else the line whose commands run.
  ExportedVariable line_of_prompt_{"current_readline_line"};
  Deadline starting_ = Deadline::never();     // for the shell to reach its prompt
  Deadline new_shell_ = Deadline::never();    // for a requested shell to reach its first prompt
  bool foreign_command_ = false;              // a command was running when the tree was captured
  Deadline next_answer_ = Deadline::never();  // when to try again to type the answers to queries
  milliseconds answer_pause_{0};
  bool blind_;  // the kernel (gVisor) reports neither the shell's system call nor the foreground
  std::set<pid_t> jobs_;  // children of the shell after its last command, when blind
};

}  // namespace sf::waypoint
