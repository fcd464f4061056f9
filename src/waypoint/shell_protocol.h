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

#include "waypoint/shell_script.h"

namespace sf::waypoint {

// `holder` is the pid, in the branch, of the process that holds the protocol's descriptors.
// Typed into the terminal: runs the loaded command; or, after an interrupt cut that line short,
// only reports. The records and their answers carry the command's number.
// With a word to look for: the shell also says how it stands (shell_look.h), in the place where the
// command was. `status`: what `$?` was before, where the shell itself no longer knows.
std::string run_line(pid_t holder, long number, std::string_view command,
                     std::string_view look = {}, std::optional<int> status = std::nullopt);
std::string report_line(pid_t holder, long number);
// Typed when a line led nowhere: tells the end of the command if it ran all the same, or that it
// did not.
std::string ask_line(pid_t holder, long number);
// Typed to a shell at rest before keys: it shows its prompt and edits lines, if its user has not
// switched that off. And typed to such a shell before a command: it is at rest again; answered as
// ask_line() where nothing ran.
std::string enter_line(pid_t holder, long number);
std::string plain_line(pid_t holder, long number);
// Typed before plain_line() where the shell edits a line: what was typed becomes a comment in the
// history. In each of readline's modes: C-g ends a search or an argument, M-# (in vi: Escape, #)
// comments the line out and enters it.
inline constexpr std::string_view kPutAway = "\x07\x1b#";
// Brings a restored shell to where it was some harmless commands later. Their texts are loaded as a
// command is.
struct CatchUp;
std::string catch_up_lines(pid_t holder, long number, const CatchUp& missed);

// Whether a line may be added behind the command that notes $? and $_ as its last command left
// them.
bool can_take_tail(std::string_view command);
// Whether the command may switch the editing of lines on or off. Errs on the safe side.
bool switches_editing(std::string_view command);

struct Record {
  enum class Kind {
    kLoad,
    kTraced,
    kStart,
    kEnd,
    kGone,     // the answer to ask_line(): nothing ran
    kRefused,  // the shell cannot load a command, and waits for its end
    kAsk,      // whether to look; answered by ShellChannel::allow_look()
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
// The line that lets the shell go on. Requires: a load, start or end record.
std::string answer_to(const Record& record);

}  // namespace sf::waypoint
