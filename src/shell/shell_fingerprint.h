// ShellFingerprint: how the shell stood when a command ended, in its own words. Pure.
//
// When only plain commands lie between two fingerprints that say the same, the two shells differ in
// nothing but what every command moves: $?, $_, the history, the table of found programs and the
// line number. A CatchUp moves those in a restored shell without running the commands again.
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
  // What makes the shell do things of its own: prompts, traps, notices about jobs, TMOUT; functions
  // and aliases, since two with the same text may come from different files; builtins that are
  // switched off.
  std::string loud;
  std::vector<long> times;  // of the last entries of the history, in seconds; oldest first
};

// `mark` begins the lines between the parts. Nothing: the fingerprint is incomplete.
std::optional<ShellFingerprint> parse_fingerprint(std::string_view text, std::string_view mark);

// All of it that a replay of the same commands brings about again, as one text: what only a clock
// or chance decides (SECONDS, SRANDOM ...) is left out. Nothing: it cannot be told from a value.
std::optional<std::string> repeatable_text(const ShellFingerprint& fingerprint);

// What a shell restored to an earlier moment missed.
struct CatchUp {
  int status = 0;
  std::string last_word;
  long lines = 0;  // how many the shell has read since
  std::vector<std::string> commands;
  std::vector<long> times;  // of their entries in the history; empty: not known
  std::vector<FoundProgram> programs;
};
// For the shell to read before catch_up_lines() end. Its first argument is the file itself.
std::string catch_up_text(const CatchUp& missed);
// Whether the history has one entry for each command, with the command's text.
bool records_every_command(const ShellFingerprint& fingerprint);
// Whether an entry of the history with this text comes back unharmed from a history file.
bool fits_history_file(std::string_view command);

std::string quoted(std::string_view text);  // for the shell

}  // namespace sf::waypoint
