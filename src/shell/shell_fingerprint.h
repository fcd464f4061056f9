// ShellFingerprint: the state of the shell after a command, as bash itself lists it. Pure.
//
// If two fingerprints have equal states and only plain commands ran in between, the two shells
// differ only in what every command changes: $?, $_, the history, the hash table of programs and
// the line number. A CatchUp updates these in a restored shell without running the commands again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sf::waypoint {

struct FoundProgram {  // an entry of the `hash` builtin's table
  std::string name;
  std::string path;
  int hits = 0;
  bool operator==(const FoundProgram&) const = default;
};

struct ShellFingerprint {
  std::string state;      // variables, functions, aliases, options, traps, limits, directories ...
  std::string last_word;  // $_
  long line = 0;
  std::vector<FoundProgram> programs;  // in the order of the listing
  // State that makes the shell act by itself: prompts, traps, notices about jobs, TMOUT. Also
  // functions and aliases, since two with the same text may come from different files, and disabled
  // builtins.
  std::string loud;
  std::vector<long> times;  // of the last history entries, in seconds since 1970; oldest first
};

// `mark` starts the lines between the parts. Returns nothing if the fingerprint is incomplete.
std::optional<ShellFingerprint> parse_fingerprint(std::string_view text, std::string_view mark);

// The part of the fingerprint that a replay of the same commands reproduces, as one text. Leaves
// out variables that depend on the clock or on chance (SECONDS, SRANDOM ...). Returns nothing if
// such a variable cannot be distinguished from the text of a value.
std::optional<std::string> repeatable_text(const ShellFingerprint& fingerprint);

// The changes that a restored shell missed because its image is older than the state to restore.
struct CatchUp {
  int status = 0;
  std::string last_word;
  long lines = 0;  // number of lines that the shell has read since
  std::vector<std::string> commands;
  std::vector<long> times;  // of their entries in the history; empty: unknown
  std::vector<FoundProgram> programs;
};
// The script that catch_up_lines() makes the shell source. $1 is the path of the script itself.
std::string catch_up_text(const CatchUp& missed);
// Whether the history has one entry for each command, with the command's text.
bool records_every_command(const ShellFingerprint& fingerprint);
// Whether bash reads a history entry with this text back unchanged from a history file.
bool fits_history_file(std::string_view command);

std::string quoted(std::string_view text);  // for the shell

}  // namespace sf::waypoint
