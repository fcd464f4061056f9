#include "shell/shell_fingerprint.h"

#include <algorithm>
#include <charconv>

#include "base/split.h"

namespace sf::waypoint {
namespace {

constexpr int kMaxHits = 1000;

// Removes the text up to and including "\n<mark> <name>\n", and returns the text before that line.
std::optional<std::string_view> cut(std::string_view& text, std::string_view mark,
                                    std::string_view name) {
  std::string line = "\n" + std::string(mark) + " " + std::string(name) + "\n";
  std::size_t at = text.find(line);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view before = text.substr(0, at);
  text.remove_prefix(at + line.size());
  return before;
}

// Variables that depend on where the fingerprint itself was requested.
constexpr std::string_view kLocations[] = {"declare -a BASH_LINENO=", "declare -a BASH_ARGV=",
                                           "declare -a BASH_ARGC=", "declare -- LINENO="};

// False if a value contains a line like one of them: the two cannot be distinguished.
bool drop_locations(std::string& state) {
  for (std::string_view location : kLocations) {
    std::string line = "\n" + std::string(location);
    std::size_t at = state.find(line);
    if (at == std::string::npos) return false;
    if (state.find(line, at + 1) != std::string::npos) return false;
    state.erase(at, state.find('\n', at + 1) - at);
  }
  return true;
}

std::optional<int> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// `hash -l` prints "builtin hash -p PATH NAME". `hash` prints a heading and "HITS\tPATH", in the
// same order.
std::optional<std::vector<FoundProgram>> found_programs(std::string_view listed,
                                                        std::string_view hits) {
  constexpr std::string_view kStart = "builtin hash -p ";
  std::vector<FoundProgram> programs;
  for (std::string_view line : split(listed, '\n')) {
    if (!line.starts_with(kStart)) continue;  // "hash table empty"
    line.remove_prefix(kStart.size());
    std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos) return std::nullopt;
    programs.push_back({std::string(line.substr(space + 1)), std::string(line.substr(0, space))});
  }
  std::size_t next = 0;
  for (std::string_view line : split(hits, '\n')) {
    std::size_t tab = line.find('\t');
    auto count = leading_number(line);
    if (tab == std::string_view::npos || !count) continue;  // the heading
    if (next == programs.size() || programs[next].path != line.substr(tab + 1) || *count > kMaxHits)
      return std::nullopt;
    programs[next++].hits = *count;
  }
  if (next != programs.size()) return std::nullopt;
  return programs;
}

// Parses the output of `history` with the mark in its format: "  12  MARK:SECONDS:text". A text may
// have several lines.
std::vector<long> entry_times(std::string_view listed, std::string_view mark) {
  std::vector<long> times;
  for (std::size_t at = listed.find(mark); at != std::string_view::npos;
       at = listed.find(mark, at + 1)) {
    std::string_view number = listed.substr(std::min(at + mark.size() + 1, listed.size()));
    long value = 0;
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc()) return {};
    times.push_back(value);
  }
  return times;
}

// Adds entries with given times to the history. Only a history file can set an entry's time, but
// bash does not count lines of a file as lines of this session (`history -a`). So the script first
// adds the same number of lines, of which each replaces the one before. The empty file at the end
// resets the number of lines read from a file (`history -n`) to zero, as in a new shell.
std::string history_with_times(const CatchUp& missed) {
  constexpr std::string_view kCounted = "builtin history -s -- ': counted'\n";
  std::string text = "HISTCONTROL=erasedups\n" + std::string(kCounted);
  for (std::size_t i = 0; i < missed.commands.size(); ++i) text += kCounted;
  text += "builtin unset -v HISTCONTROL\nbuiltin history -d -1\nbuiltin printf '#%s\\n%s\\n'";
  for (std::size_t i = 0; i < missed.commands.size(); ++i)
    text += " " + std::to_string(missed.times[i]) + " " + waypoint::quoted(missed.commands[i]);
  text += " >|\"$1\"\nHISTTIMEFORMAT= builtin history -r \"$1\"\n";
  return text + "builtin : >|\"$1\"\nbuiltin history -r \"$1\"\n";
}

}  // namespace

std::optional<ShellFingerprint> parse_fingerprint(std::string_view text, std::string_view mark) {
  auto state = cut(text, mark, "loud");
  auto loud = cut(text, mark, "line");
  auto line = cut(text, mark, "last");
  auto last = cut(text, mark, "hashed");
  auto listed = cut(text, mark, "hits");
  auto hits = cut(text, mark, "times");
  auto times = cut(text, mark, "end");
  if (!state || !loud || !line || !last || !listed || !hits || !times) return std::nullopt;
  ShellFingerprint fingerprint;
  fingerprint.loud = *loud;
  fingerprint.state = "\n" + std::string(*state);
  if (!drop_locations(fingerprint.state)) return std::nullopt;
  auto number = leading_number(*line);
  auto programs = found_programs(*listed, *hits);
  if (!number || !programs) return std::nullopt;
  fingerprint.line = *number;
  fingerprint.programs = std::move(*programs);
  fingerprint.last_word = *last;
  fingerprint.times = entry_times(*times, mark);
  return fingerprint;
}

std::optional<std::string> repeatable_text(const ShellFingerprint& fingerprint) {
  // Bash computes these when they are read. The listing has the value of the last read.
  constexpr std::string_view kMoving[] = {"SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM",
                                          "BASHPID"};
  std::string text = fingerprint.state;
  for (std::string_view name : kMoving) {
    const std::string assigned = " " + std::string(name) + "=";
    std::size_t begin = std::string::npos;
    for (std::size_t at = text.find(assigned); at != std::string::npos;
         at = text.find(assigned, at + 1)) {
      const std::size_t line = text.rfind('\n', at) + 1;
      if (!text.substr(line, at - line).starts_with("declare -")) continue;
      if (begin != std::string::npos) return std::nullopt;  // one of the two is text of a value
      begin = line;
    }
    if (begin != std::string::npos) text.erase(begin, text.find('\n', begin) - begin);
  }
  text += "\n" + fingerprint.loud + "\n" + fingerprint.last_word;
  for (const FoundProgram& program : fingerprint.programs)
    text += "\n" + program.name + " " + program.path;
  return text;
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// If one of these is set, a command may have no history entry, our typed lines may have one, or
// bash may read a history file differently.
bool records_every_command(const ShellFingerprint& fingerprint) {
  constexpr std::string_view kSigns[] = {
      " HISTCONTROL=", " HISTIGNORE=", " histchars=", "\nset -o history\n"};
  return std::ranges::none_of(kSigns, [&](std::string_view sign) {
    return fingerprint.state.find(sign) != std::string::npos;
  });
}

bool fits_history_file(std::string_view command) {
  for (const std::string& line : split(command, '\n')) {
    const bool looks_like_time =
        line.size() > 1 && line[0] == '#' && line[1] >= '0' && line[1] <= '9';
    if (line.empty() || line.back() == '\r' || looks_like_time) return false;
  }
  return !command.empty() && command.back() != '\n';
}

std::string catch_up_text(const CatchUp& missed) {
  std::string text = "__wp_last=" + waypoint::quoted(missed.last_word) + "\n";
  if (!missed.commands.empty() && missed.times.size() == missed.commands.size()) {
    text += history_with_times(missed);
  } else {
    for (const std::string& command : missed.commands)
      text += "builtin history -s -- " + waypoint::quoted(command) + "\n";
  }
  text += "builtin hash -r\n";
  // Bash inserts a new entry at the front of its bucket, so add the entries in reverse order.
  for (auto program = missed.programs.rbegin(); program != missed.programs.rend(); ++program) {
    text += "builtin hash -p " + waypoint::quoted(program->path) + " " +
            waypoint::quoted(program->name) + "\n";
    for (int i = 0; i < program->hits; ++i)
      text += "builtin hash -t " + waypoint::quoted(program->name) + "\n";
  }
  return text;
}

}  // namespace sf::waypoint
