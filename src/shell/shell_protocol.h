// The shell's side of the command protocol: the lines that bash reads, and the records that bash
// and init write. Pure.
//
// One command is one typed line that loads the command's bytes from a memory file, evaluates them,
// and reports the exit status. Start and end are a rendezvous: the shell writes a record to a pipe
// and waits for an answer, so the keeper knows exactly which terminal bytes belong to the command.
// A command's output cannot forge or hide a record. $?, $_, history, traps and options stay as the
// user left them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/shell_script.h"

namespace sf::waypoint {

// The functions below return lines to type into the terminal. `holder` is the pid, in the branch,
// of the process that holds the protocol's descriptors. The records and their answers carry the
// command's number.

// Runs the loaded command. `fingerprint`: if not empty, the mark with which the shell also writes
// its fingerprint (shell_fingerprint.h) into the command's memory file. `status`: the previous
// `$?`, if the shell itself no longer knows it. A command run with kSource may switch line editing
// (switches_editing()), but a DEBUG trap does not see it, and `return` ends it.
enum class RunBy { kEval, kSource };
std::string run_line(pid_t holder, long number, std::string_view command, RunBy by = RunBy::kEval,
                     std::string_view fingerprint = {}, std::optional<int> status = std::nullopt);
// Only reports the status, after an interrupt ended the line of run_line().
std::string report_line(pid_t holder, long number);
// Typed if the shell has read a line and sent no record: the shell reports the end of the command
// if it ran, or that it did not run.
std::string ask_line(pid_t holder, long number);
// enter_line() is typed before the first keys: a shell at rest shows its prompt, and edits lines
// unless the user has switched that off. `history`: whether bash records the lines typed then.
enum class History { kOn, kOff };
std::string enter_line(pid_t holder, long number, History history = History::kOn);
// plain_line() is typed before the next command: the shell is at rest again and sends an end
// record. `may_write`: the shell may write files (ulimit -f), so it can remove our line from its
// history.
std::string plain_line(pid_t holder, long number, bool may_write = true);
// Typed before plain_line() if the shell edits a line: deletes the partly typed line, which C-y (in
// vi: p) brings back. C-g ends a search or an argument. C-a and C-k delete the line in emacs mode.
// Escape and dd delete it in both modes of vi; i returns to insert mode. In emacs mode `d` and `i`
// of these keys are inserted, and the two erase keys delete them. The editor uses the terminal's
// erase key (`stty erase`), and would insert DEL if that is another key.
std::string discard_line(char erase_key);
// Applies a CatchUp to a restored shell. catch_up_text() must be loaded like a command's text.
struct CatchUp;
std::string catch_up_lines(pid_t holder, long number, const CatchUp& missed);

// Whether kTailLine may be appended to the command, to record $? and $_ after its last command.
bool can_take_tail(std::string_view command);
// Whether the command may switch line editing on or off. If in doubt, true.
bool switches_editing(std::string_view command);
// Whether the command may define a function or an alias that switches line editing later.
bool defines_editing_switch(std::string_view command);

struct Record {
  enum class Kind {
    kLoad,
    kTraced,
    kStart,
    kEnd,
    kGone,     // the answer to ask_line(): nothing ran
    kRefused,  // the shell cannot load a command, and waits to be killed
    kAsk,      // may the shell write its fingerprint? see ShellChannel::allow_fingerprint()
    kShell,
    kHolder,
    kPiped,
    kExited,
    kFailed,
    kServed
  };
  Kind kind = Kind::kStart;
  std::vector<long> numbers;
  std::string text;
};

// `line` has no line end. Returns nothing if it is not a record.
std::optional<Record> parse_record(std::string_view line);
// The answer that lets the shell continue. Requires: a load, start or end record.
std::string answer_to(const Record& record);

}  // namespace sf::waypoint
