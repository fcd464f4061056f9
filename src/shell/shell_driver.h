// ShellDriver: runs commands, one at a time, in the long-lived shell on the branch's terminal.
//
// A command is typed as one short line (shell_protocol.h) once the shell waits at its prompt. The
// shell's start and end records say which terminal bytes are the command's; what comes between
// commands is kept as background output. A command cut short (an interrupt ends the whole typed
// line) shows as the shell waiting at its prompt again without an end record; the driver sees that
// in /proc and asks for the status. Event-driven: the keeper calls the on_ functions and on_time();
// nothing here blocks.
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
#include "shell/shell_channel.h"
#include "shell/shell_fingerprint.h"
#include "shell/stream_search.h"
#include "shell/terminal_input.h"
#include "terminal/output_buffer.h"
#include "terminal/screen.h"

namespace sf::waypoint {

// What must survive a checkpoint beside the processes themselves.
struct ShellState {
  pid_t shell = 0;  // pids as the branch sees them
  pid_t holder = 1;
  unsigned long prompt_read =
      0;              // size of the read() in which this bash waits for a line; 0: not yet known
  long commands = 0;  // how many were given so far; numbers the next one
  bool command_running = false;     // somebody's command is in the foreground
  bool request_pending = false;     // init has a request that it has not told to be served
  std::string background;           // printed since the last command ended, not yet told to anyone
  std::string screen;               // Screen::save()
  bool may_act = false;             // ShellDriver::may_act()
  os::TypedAhead typed;             // keys that nobody has read yet
  std::string waiting;              // keys behind them, which the terminal has not taken yet
  bool shows_prompt = false;        // keys were typed since the last command
  bool defines_switch = false;      // ShellDriver::defines_switch_
  bool history_off = false;         // ShellDriver::history_off_
  std::optional<CatchUp> catch_up;  // the processes are of an earlier moment; what they missed
};

class ShellDriver {
 public:
  using Done = std::function<void(Result<Observation>)>;

  // `gate`: to the branch, for what the driver itself types, writes and signals when its time
  // comes.
  ShellDriver(pid_t init, os::UniqueFd master, ShellChannel channel, Screen screen,
              ChangeGate& gate);

  int master_fd() const { return master_.get(); }
  ShellChannel& channel() { return channel_; }
  Screen& screen() { return screen_; }

  // Whether run() may be called now: no command under way and the shell at its prompt.
  bool ready();
  bool busy() const { return active_.has_value(); }
  // Whether the shell is on its way to its prompt: a new one, or one that runs PROMPT_COMMAND.
  bool is_starting() const { return !starting_.is_never() && !starting_.passed(); }
  // What was printed outside of commands and not told yet.
  std::string background_text() const;
  // What holds the terminal, for an error message.
  std::string foreground_name() const;
  // The terminal's foreground process group, as the branch numbers it.
  pid_t foreground_group() const;
  void run(const ChangePermit& permit, ExecRequest request, OutputSink sink, Done done);
  // All of it or nothing. What the terminal does not take at once waits, and with it the next
  // command.
  Result<TypedKeys> type(const ChangePermit& permit, std::string_view bytes);
  // For somebody who is about to type. Nothing happens while something runs.
  Status show_prompt(const ChangePermit& permit);
  // Whether keys would have to wait until the shell shows its prompt: the modes of the terminal are
  // not yet those for which keys and pastes are meant.
  bool needs_prompt() { return is_entering() || (!active_ && rests()); }
  bool is_entering() const { return active_ && active_->entering; }
  bool shows_prompt() const { return shows_prompt_; }
  // Tells a shell that was restored to an earlier moment what happened since.
  void catch_up(const ChangePermit& permit, const CatchUp& missed, Done done);

  // How the shell stood when its last command ended, if it was asked and nothing came since.
  const std::optional<ShellFingerprint>& fingerprint() const { return fingerprint_; }
  void forget_fingerprint() { fingerprint_.reset(); }
  int last_status() const { return last_status_; }
  long commands() const { return commands_; }
  // The texts of the commands after the n-th, while they are remembered.
  std::optional<std::vector<std::string>> commands_since(long n) const;
  // When they were entered into the history, likewise, if looks have told all of them.
  std::optional<std::vector<long>> times_since(long n) const;
  // Whether a program asked the terminal something that will be answered by typing.
  bool owes_answers() const { return !screen_.answers().empty(); }
  // Whether the shell may do something of its own at its prompt: TMOUT is set, after which it logs
  // out; or keys were typed, or the shell is a new one, and no command has told since.
  bool may_act() const { return may_act_; }
  bool waits_at_prompt() { return !active_ && !unsure_ && !input_.waits() && at_prompt(); }

  void on_terminal();    // the master became readable, or hung up; reads all there is
  void on_input_room();  // somebody has read from the terminal
  // Whether keys wait until somebody does.
  bool input_waits() const { return input_.waits(); }
  void on_record(const Record& record);
  void on_time();
  Deadline next_wake() const;

  // A checkpoint may be taken between the rendezvous of a command, not within one; and not between
  // the end of a shell and the first prompt of the next one, which is not yet what it will be.
  bool at_rest() const {
    return active_ ? active_->phase == Phase::kRunning
                   : new_shell_.is_never() || new_shell_.passed();
  }
  // Requires: at_rest(), and the tree stands still.
  ShellState state();
  // Continues from a restored tree. Requires: `state` was saved with it.
  void adopt(const ShellState& state);
  void set_holder(pid_t holder);
  pid_t shell() const { return shell_; }
  pid_t shell_host() const { return shell_host_; }
  // Called with whether keys wait: from true on, on_input_room() is to be called.
  std::function<void(bool)> on_input_waits;
  // Called with all that the terminal prints.
  OutputSink on_output;
  // Whether a look at the shell when the next command ends is likely to be of use; and, when it has
  // ended, whether it is safe.
  std::function<bool()> wants_fingerprint;
  std::function<bool()> may_fingerprint;
  // Called when the shell ended, to start a new one; or the reason why none comes.
  std::function<std::optional<Error>()> restart_shell;

 private:
  static constexpr milliseconds kEagerLook{4};  // after an interrupt: the end is expected
  static constexpr milliseconds kRetypeLook{100};
  static constexpr char kInterruptKey = '\x03';
  static constexpr std::string_view kPasteModeOff = "\x1b[?2004l";  // bracketed paste
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
    unsigned long long began_at = 0;  // as os::ProcessKey counts
    int interrupts = 0;
    int idle_looks = 0;
    int lost_looks = 0;
    bool key_interrupt = false;  // somebody typed it
    int busy_looks = 0;
    bool holder_died = false;    // since the line was typed: what it tells may be lost
    bool asked = false;          // about the line (ask_line), and not answered yet
    int asks = 0;                // of them, since the holder is the same
    bool entering = false;       // no command: the shell is told to show its prompt
    bool entered = false;        // and it does so
    bool leaving = false;        // first the shell goes back to rest: its editor's echo is dropped
    bool left = false;           // it did
    bool awaits_prompt = false;  // and runs PROMPT_COMMAND, which may read what is typed
    std::optional<Error> giving_up;  // the shell cannot run commands any more, and was killed
    bool shell_restarted = false;
    bool timed_out = false;
    bool traced = false;   // what the shell prints for our plumbing shows: drop it
    bool verbose = false;  // `set -v` would show a line that we type while the command runs
    bool verbose_end = false;
    bool acts_at_prompt = false;  // a trap would fire for a catch-up, too
    bool looked = false;
    std::string tag;      // begins the lines between the parts of the look that was asked for
    std::string loading;  // printed between load and start
    // While the shell leaves its editor: whether that switches bracketed paste off.
    StreamSearch paste_mode_off{kPasteModeOff};
  };

  void drain();
  void take_output(std::string_view bytes);
  void show(std::string_view bytes);  // on the screen, and to whoever watches
  void on_load(const std::string& flags);
  void on_start();
  void on_end(int status, const std::string& flags);
  void on_shell_exit(int wait_status);
  void finish(int exit_code, bool shell_restarted);
  void remember(const std::string& command, long time = 0);
  void note_times(const ShellFingerprint& fingerprint);
  static void drop_echo(const Active& done, std::string& raw);
  void abandon(Error error);
  // Keys are not for the line with which we start or end a command, nor for no shell at all, nor
  // for one that has not shown its prompt.
  bool holds_keys() const {
    return shell_ == 0 || (active_ ? active_->phase != Phase::kRunning : is_starting());
  }
  void write_keys();
  void give_answers();
  void drop_answers();
  bool rests();  // whether keys need the prompt first
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
  // Whether the line that starts the command was read and has led nowhere. Requires: at its prompt.
  bool line_was_read() const;
  void begin_running();
  void run_untold();
  void look_for_prompt();
  void type_report();
  void interrupt();
  void signal_foreground(int number);
  bool at_prompt();
  bool reads_line();  // whether the shell waits for one, whoever has the terminal
  bool has_lost_terminal();
  pid_t foreground() const;         // group that has the terminal, as the keeper sees it
  pid_t foreground_member() const;  // a process of it that lives; 0: none
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
  pid_t shell_ = 0;       // as the branch sees it
  pid_t shell_host_ = 0;  // as the keeper sees it
  pid_t holder_ = 1;
  bool script_is_old_ = false;  // it leads through an earlier holder
  unsigned long prompt_read_ = 0;
  long commands_ = 0;
  std::deque<std::string> recent_;  // the last commands
  std::deque<long> recent_times_;   // of their entries in the history; 0: not known
  std::size_t recent_bytes_ = 0;
  std::optional<ShellFingerprint> fingerprint_;
  int last_status_ = 0;
  bool defines_switch_ = false;  // functions or aliases may switch the editor (switches_editing)
  bool history_off_ = false;     // who typed has switched it off (set +o history)
  bool shows_prompt_ = false;    // the shell is not at rest: somebody typed since the last command
  bool prompt_wanted_ = false;   // it ended meanwhile: the next one is to show its prompt
  bool ended_between_ = false;   // a shell, while no command ran; not told yet
  bool echo_off_ = false;        // we switched it off to type a line
  bool unsure_ = false;          // keys were typed or a foreign command runs: look before typing
  bool may_act_ = false;
  Deadline starting_ = Deadline::never();     // how long the shell may take to its prompt
  Deadline new_shell_ = Deadline::never();    // a shell was asked for; its prompt is due until then
  bool foreign_command_ = false;              // a restored tree came with a command under way
  Deadline next_answer_ = Deadline::never();  // when to look whether somebody reads them now
  milliseconds answer_pause_{0};
  bool blind_;  // the kernel tells neither what the shell waits for nor who has the terminal
  std::set<pid_t> jobs_;  // children of the shell after its last command, when blind
};

}  // namespace sf::waypoint
