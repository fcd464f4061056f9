// The shell's side of the command protocol: the texts bash reads, and the records it and init
// write. Pure.
//
// One command is one typed line that loads the command's bytes from a memory file, evaluates them,
// and reports the exit status. Start and end are a rendezvous: the shell writes a record to a pipe
// and waits for an answer, so the keeper knows exactly which terminal bytes belong to the command.
// Nothing of this can be forged or hidden by output, and $?, $_, history, traps and options stay as
// the user left them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/shell_script.h"

namespace sf::waypoint {

// `holder` is the pid, in the branch, of the process that holds the protocol's descriptors.
// Typed into the terminal: runs the loaded command; or, after an interrupt cut that line short,
// only reports. The records and their answers carry the command's number.
// With a word to look for: the shell also says how it stands (shell_fingerprint.h), in the place
// where the command was. `status`: what `$?` was before, where the shell itself no longer knows. A
// sourced command may switch the editing of lines (switches_editing()); but a DEBUG trap does not
// see it, and `return` ends it.
// kList: the shell first lists its functions and aliases, in the place where the command was, and
// is told with the answer to its load record whether the command is to be sourced.
enum class RunBy { kEval, kSource, kList };
std::string run_line(pid_t holder, long number, std::string_view command, RunBy by = RunBy::kEval,
                     std::string_view fingerprint = {}, std::optional<int> status = std::nullopt);
std::string report_line(pid_t holder, long number);
// Typed when a line led nowhere: tells the end of the command if it ran all the same, or that it
// did not.
std::string ask_line(pid_t holder, long number);
// Typed to a shell at rest before keys: it shows its prompt and edits lines, if its user has not
// switched that off. And typed to such a shell before a command: it is at rest again, and
// tells an end.
// `history`: whether what is typed is remembered.
enum class History { kOn, kOff };
std::string enter_line(pid_t holder, long number, History history = History::kOn);
// `may_write`: the shell may write files (ulimit -f), and so take our line out of its history.
std::string plain_line(pid_t holder, long number, bool may_write = true);
// Typed before plain_line() where the shell edits a line: deletes what was half typed, which C-y
// (in vi: p) puts back. C-g ends a search or an argument. C-a and C-k delete the line in emacs
// mode; Escape and dd in both modes of vi, where i goes back to inserting. The two erase keys take
// away what emacs mode has inserted of these; the editor takes that key from the terminal (`stty
// erase`), and inserts the usual one if it is another.
std::string discard_line(char erase_key);
// Brings a restored shell to where it was some harmless commands later. Their texts are loaded as a
// command is.
struct CatchUp;
std::string catch_up_lines(pid_t holder, long number, const CatchUp& missed);

// Whether a line may be added behind the command that notes $? and $_ as its last command left
// them.
bool can_take_tail(std::string_view command);
// Whether the command may switch the editing of lines on or off. Errs on the safe side.
bool switches_editing(std::string_view command);
// Whether it may put this into a function, an alias or a variable for a later command.
bool defines_editing_switch(std::string_view command);
// Whether the command runs a text that it does not show.
bool runs_other_text(std::string_view command);
// Whether it may define functions or aliases: those that it shows, or others.
bool may_define_functions(std::string_view command);
// `list`: what the shell has listed (RunBy::kList). Errs on the safe side.
bool list_switches_editing(std::string_view list);

struct Record {
  enum class Kind {
    kLoad,
    kTraced,
    kStart,
    kEnd,
    kGone,     // the answer to ask_line(): nothing ran
    kRefused,  // the shell cannot load a command, and waits for its end
    kAsk,      // whether to look; answered by ShellChannel::allow_fingerprint()
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

// One line without its line end; nothing when it is none of ours.
std::optional<Record> parse_record(std::string_view line);
// The line that lets the shell go on. Requires: a load, start or end record. `by`: for a load
// record, how the command is to be run.
std::string answer_to(const Record& record, RunBy by = RunBy::kEval);

}  // namespace sf::waypoint
