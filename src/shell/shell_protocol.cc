#include "shell/shell_protocol.h"

#include <algorithm>
#include <charconv>

#include "shell/init/init_protocol.h"
#include "shell/shell_fingerprint.h"

namespace sf::waypoint {
// The output of the groups is redirected, or `set -x` and a DEBUG trap would show our commands. The
// output of `eval` itself cannot be redirected. A trap's output for `eval` comes before the start
// record, and the driver drops it.
std::string run_line(pid_t holder, long number, std::string_view command, RunBy by,
                     std::string_view fingerprint, std::optional<int> status) {
  const std::string n = std::to_string(number);
  const std::string before = status ? std::to_string(*status) : "\"$?\"";
  const bool tail = can_take_tail(command);
  const bool source = by == RunBy::kSource;
  const std::string load = std::string(source ? "source" : "load") + (tail ? "_tail " : " ");
  const std::string run =
      source ? std::string("\\. @COMMAND@") : "\\builtin eval \"${__wp_command[" + n + "]-}\"";
  const std::string ended = tail ? "${__wp_tail-$?}" : "$?";
  const std::string last = tail ? R"("${__wp_last-}")" : R"("")";
  // A sourced script does not see the traps on DEBUG, ERR and RETURN.
  const std::string end = fingerprint.empty()
                              ? "\\. @SCRIPT@ end " + n + " \"$__wp_end\" " + last
                              : "\\builtin trap -p DEBUG ERR RETURN >>@EVENT@ ||\\builtin :;"
                                "\\. @SCRIPT@ end_look " +
                                    n + " \"$__wp_end\" " + std::string(fingerprint) +
                                    " \"$LINENO\" \"$@\" " + last;
  return with_paths(" { \\. @SCRIPT@ " + load + n + " " + before +
                        " \"$_\" &&\\builtin :;\\builtin trap -p DEBUG >>@EVENT@ ||\\builtin :;} "
                        ">/dev/null 2>&1;" +
                        run + ";{ __wp_end=" + ended + ";" + end +
                        " &&\\builtin : \"$_\";} >/dev/null 2>&1\n",
                    holder);
}

namespace {

std::string asking_line(pid_t holder, const char* what, long number) {
  return with_paths(std::string(" { \\. @SCRIPT@ ") + what + std::to_string(number) +
                        " \"${__wp_end-$?}\" \"${__wp_last-$_}\" &&\\builtin : \"$_\";} "
                        ">/dev/null 2>&1\n",
                    holder);
}

}  // namespace

std::string report_line(pid_t holder, long number) { return asking_line(holder, "again ", number); }

std::string ask_line(pid_t holder, long number) { return asking_line(holder, "ask ", number); }

// `set -o emacs` must be part of the typed line: in a sourced script it does not make bash read the
// next line with its editor.
std::string enter_line(pid_t holder, long number, History history) {
  const std::string remember = history == History::kOn ? "HISTFILE= \\builtin set -o history;" : "";
  return with_paths(
      " { __wp_end=$? __wp_last=$_;case ${__wp_rest[4]-}:$SHELLOPTS: in "
      "edit:*|*:emacs:*)\\builtin set -o emacs;;vi:*|*:vi:*)\\builtin set -o vi;esac;" +
          remember + "\\. @SCRIPT@ enter " + std::to_string(number) +
          " \"$__wp_end\" \"$__wp_last\" &&\\builtin : \"$_\";} >/dev/null 2>&1\n",
      holder);
}

std::string discard_line(char erase_key) {
  constexpr char kDelete = '\x7f';
  const bool is_usable = erase_key > 0 && erase_key < ' ' && erase_key != '\n' && erase_key != '\r';
  return "\x07\x01\x0b\x1b"
         "ddi" +
         std::string(2, is_usable ? erase_key : kDelete);
}

std::string plain_line(pid_t holder, long number, bool may_write) {
  return with_paths(
      " { __wp_end=$? __wp_last=$_ __wp_tail=$SHELLOPTS;\\builtin set +o emacs +o vi +o "
      "history;\\. @SCRIPT@ " +
          std::string(may_write ? "plain " : "plain_unwritten ") + std::to_string(number) +
          " \"$__wp_end\" \"$__wp_tail\" \"$__wp_last\" &&\\builtin : \"$_\";} >/dev/null 2>&1\n",
      holder);
}

std::string catch_up_lines(pid_t holder, long number, const CatchUp& missed) {
  // The shell counts the lines it reads ($LINENO), empty ones too.
  std::string empty(static_cast<std::size_t>(std::max(0L, missed.lines - 1)), '\n');
  return empty + with_paths(" { \\builtin . @COMMAND@ @COMMAND@;\\. @SCRIPT@ again " +
                                std::to_string(number) + " " + std::to_string(missed.status) +
                                " \"$__wp_last\";} >/dev/null 2>&1\n",
                            holder);
}

namespace {

constexpr std::string_view kBreaks = " \t;&|(){}\n";
constexpr std::string_view kBreaksAndQuotes = " \t;&|(){}\n'\"\\`=";

bool contains_word(std::string_view text, std::string_view word,
                   std::string_view breaks = kBreaks) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    bool begins = at == 0 || breaks.find(text[at - 1]) != std::string_view::npos;
    std::size_t end = at + word.size();
    if (begins && (end == text.size() || breaks.find(text[end]) != std::string_view::npos))
      return true;
  }
  return false;
}

}  // namespace

// After an unfinished command the tail would become part of the command, or complete a command that
// bash should refuse. If in doubt, the answer is false: without the tail only `$_` is lost.
bool can_take_tail(std::string_view command) {
  if (command.find("<<") != std::string_view::npos) return false;
  // `set -v` would show it.
  if (command.find('v') != std::string_view::npos && contains_word(command, "set")) return false;
  if (std::ranges::count(command, '{') != std::ranges::count(command, '}')) return false;
  std::size_t last = command.find_last_not_of(" \t\n");
  if (last == std::string_view::npos) return true;
  command = command.substr(0, last + 1);
  for (std::string_view end : {"\\", "|", "&&", "|&", "()", "))"}) {
    if (command.ends_with(end)) return false;
  }
  bool closed = false;
  for (std::string_view end : {"done", "fi", "esac", "}"})
    closed = closed || command.ends_with(end);
  std::string_view line = command.substr(command.rfind('\n') + 1);
  for (std::string_view word : {"for", "select", "function", "while", "until", "if", "case"}) {
    if (!closed && contains_word(line, word)) return false;
  }
  return true;
}

// In an `eval`, such a command crashes bash 5.2, because its parser then reads the next line from
// an invalid input (with_input_from_stdin()). In a sourced file it is safe.
bool switches_editing(std::string_view command) {
  if (command.find("emacs") == std::string_view::npos &&
      command.find("vi") == std::string_view::npos)
    return false;
  auto has = [&](std::string_view word) { return contains_word(command, word, kBreaksAndQuotes); };
  return has("set") && (has("emacs") || has("vi"));
}

bool defines_editing_switch(std::string_view command) {
  if (!switches_editing(command)) return false;
  for (std::string_view sign : {"()", "( )", "function", "alias", "="}) {
    if (command.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

std::optional<Record> parse_record(std::string_view line) {
  if (line.empty()) return std::nullopt;
  if (line.starts_with("trap -- ")) return Record{Record::Kind::kTraced, {}, {}};
  Record record;
  std::size_t expected = 0;
  switch (line.front()) {
    case 'B':
      record.kind = Record::Kind::kLoad;
      expected = 1;
      break;
    case 'S':
      record.kind = Record::Kind::kStart;
      expected = 1;
      break;
    case 'E':
      record.kind = Record::Kind::kEnd;
      expected = 2;
      break;
    case 'Q':
      record.kind = Record::Kind::kAsk;
      expected = 1;
      break;
    case 'G':
      record.kind = Record::Kind::kGone;
      expected = 1;
      break;
    case 'R':
      record.kind = Record::Kind::kRefused;
      expected = 1;
      break;
    case 'L':
      record.kind = Record::Kind::kShell;
      expected = 1;
      break;
    case 'A':
      record.kind = Record::Kind::kHolder;
      expected = 1;
      break;
    case 'P':
      record.kind = Record::Kind::kPiped;
      expected = 5;
      break;
    case 'X':
      record.kind = Record::Kind::kExited;
      expected = 2;
      break;
    case 'D':
      record.kind = Record::Kind::kServed;
      break;
    case 'F':
      record.kind = Record::Kind::kFailed;
      expected = 2;
      break;
    default:
      return std::nullopt;
  }
  line.remove_prefix(1);
  while (!line.empty()) {
    if (line.front() != ' ') return std::nullopt;
    line.remove_prefix(1);
    long value = 0;
    auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc()) {
      record.text = line;
      break;
    }
    record.numbers.push_back(value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  if (record.numbers.size() != expected) return std::nullopt;
  return record;
}

std::string answer_to(const Record& record) {
  std::string_view letter = record.kind == Record::Kind::kLoad    ? "B "
                            : record.kind == Record::Kind::kStart ? "S "
                                                                  : "E ";
  return std::string(letter) + std::to_string(record.numbers.at(0)) + "\n";
}

}  // namespace sf::waypoint
