#include "waypoint/shell_protocol.h"

#include <algorithm>
#include <charconv>

#include "waypoint/init/init_protocol.h"
#include "waypoint/shell_look.h"

namespace sf::waypoint {
namespace {

std::string fd_path(pid_t holder, int fd) {
  return "/proc/" + std::to_string(holder) + "/fd/" + std::to_string(fd);
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// `builtin` everywhere: the user may have functions and aliases of any name. The script ends with
// the status it was given, and `$_` is its last argument, so both are what they were. Under `set
// -e` a failing status would end the shell once more than the user asked for. Each answer names its
// record: one that an interrupted shell left unread must not pass for the next. `echo` or `printf`:
// users switch builtins off (`enable -n echo`), but hardly both. bash reads a sourced file command
// by command: each part leaves at its end, so that those behind it are not even parsed.
// The holder may be killed at any moment, and then nothing can be told: the way back is opened
// first, so whoever has told something also hears the answer. What tells of a command that was
// loaded (__wp_command, by its number), or that ended (__wp_end), goes once that was told: whoever
// is left without an answer asks (ask_line, report_line). What may not be there stands before `&&`
// or `||`, or `set -e` would end the shell; under it `builtin .` without a file does so even there,
// so `.` goes without `builtin`.
constexpr std::string_view kScriptText = R"script(case $1 in load | load_tail)
  {
    { builtin echo "B $2 ${-//[!xv]/}" >>@EVENT@ || builtin printf '%s\n' "B $2 ${-//[!xv]/}" >>@EVENT@; } &&
      while IFS= builtin read -r __wp_ack && [[ $__wp_ack != "B $2" ]]; do builtin :; done
  } <@ACK@
  builtin unset -v __wp_command __wp_tail __wp_end
  case ${__wp_ack-} in "B $2") IFS= builtin read -r -d '' "__wp_command[$2]" <@COMMAND@ || builtin : ;; esac
  case ${__wp_command[$2]+loaded} in "") @LEAVE@ ;; esac
  builtin history -s -- "${__wp_command[$2]}"
  builtin printf -v "__wp_command[$2]" '{ \\. @SCRIPT@ start %q %q %q && builtin : "$_"; } >/dev/null 2>&1\n%s' "$2" "$3" "$4" "${__wp_command[$2]}"
  case $1 in load_tail) __wp_command[$2]+=$'\n{ __wp_tail=("$?" "$_"); } >/dev/null 2>&1' ;; esac
  @LEAVE@ ;;
esac
case $1 in start)
  {
    { builtin echo "S $2" >>@EVENT@ || builtin printf '%s\n' "S $2" >>@EVENT@; } &&
      builtin unset -v __wp_command __wp_tail __wp_end &&
      while IFS= builtin read -r __wp_ack && [[ $__wp_ack != "S $2" ]]; do builtin :; done
  } <@ACK@
  @LEAVE@ ;;
esac
case $1 in ask)
  case ${__wp_command[$2]+loaded} in "")
    builtin echo "G $2" >>@EVENT@ || builtin printf '%s\n' "G $2" >>@EVENT@
    @LEAVE@ ;;
  esac
  @END@
  @LEAVE@ ;;
esac
case $1 in end)
  @END@
  @LEAVE@ ;;
esac
case $1 in end_look)
  {
    { builtin echo "Q $2" >>@EVENT@ || builtin printf '%s\n' "Q $2" >>@EVENT@; } &&
      while IFS= builtin read -r __wp_ack && [[ $__wp_ack != "Q $2 "* ]]; do builtin :; done
  } <@ACK@
  case ${__wp_ack-} in *yes)
    {
      builtin unset -v __wp_ack __wp_command __wp_tail __wp_end
      builtin : look
      builtin declare -p
      builtin shopt -p
      builtin shopt -po
      builtin complete -p
      builtin umask
      builtin ulimit -aH
      builtin ulimit -aS
      builtin dirs -l -p
      builtin printf '%q ' "$0" "${@:6:$#-6}"
      builtin printf '\n%s loud\n%s' "$4" "${-//[!xv]/}${PS1-}${PS0-}${PROMPT_COMMAND[*]-}${!-}${TMOUT-}"
      builtin enable -n
      builtin declare -f
      builtin alias -p
      builtin trap -p
      builtin printf '\n%s line\n%s' "$4" "$5"
      builtin printf '\n%s last\n%s' "$4" "${@:$#}"
      builtin printf '\n%s hashed\n' "$4"
      builtin hash -l
      builtin printf '\n%s hits\n' "$4"
      builtin hash
      builtin printf '\n%s times\n' "$4"
      HISTTIMEFORMAT="$4:%s:" builtin history 16
      builtin printf '\n%s end\n' "$4"
    } >|@COMMAND@ || builtin :
    ;;
  esac
  __wp_end=("$3" "${@:$#}")
  @END@
  @LEAVE@ ;;
esac
)script";
// First nothing: a bash that an interrupt kept from waiting for its program does so then, before it
// tells of an end (ShellDriver::regain_terminal).
constexpr const char* kEnd =
    R"(builtin :
  {
    { builtin echo "E $2 $3 ${-//[!v]/}${TMOUT:+t}" >>@EVENT@ || builtin printf '%s\n' "E $2 $3 ${-//[!v]/}${TMOUT:+t}" >>@EVENT@; } &&
      builtin unset -v __wp_command __wp_tail __wp_end __wp_last &&
      while IFS= builtin read -r __wp_ack && [[ $__wp_ack != "E $2" ]]; do builtin :; done
  } <@ACK@ || builtin return 1)";
constexpr const char* kLeave =
    R"(builtin unset -v __wp_ack; case $- in *e*) builtin return 0 ;; esac; builtin return "$3")";

std::string with_paths(std::string_view text, pid_t holder) {
  std::string out(text);
  replace_all(out, "@END@", kEnd);
  replace_all(out, "@LEAVE@", kLeave);
  replace_all(out, "@COMMAND@", fd_path(holder, kCommandText));
  replace_all(out, "@SCRIPT@", fd_path(holder, kScript));
  replace_all(out, "@EVENT@", fd_path(holder, kEventWrite));
  replace_all(out, "@ACK@", fd_path(holder, kAckRead));
  return out;
}

}  // namespace

std::string protocol_script(pid_t holder) { return with_paths(kScriptText, holder); }

std::string shell_rc_file() {
  // No prompt: between two commands the terminal then carries only what jobs print.
  return "PS1= PS2=\nset +o history\n";
}

// The groups are silent: `set -x` and a DEBUG trap would otherwise show our plumbing. `eval` itself
// cannot be; what it makes them print comes before the start record and is dropped.
std::string run_line(pid_t holder, long number, std::string_view command, std::string_view look,
                     std::optional<int> status) {
  std::string n = std::to_string(number);
  const std::string before = status ? std::to_string(*status) : "\"$?\"";
  // A sourced script does not see the traps on DEBUG, ERR and RETURN.
  const std::string end = look.empty()
                              ? "\\. @SCRIPT@ end " + n + " \"${__wp_end[0]}\" \"${__wp_end[1]}\""
                              : "\\builtin trap -p DEBUG ERR RETURN >>@EVENT@ ||\\builtin :;"
                                "\\. @SCRIPT@ end_look " +
                                    n + " \"${__wp_end[0]}\" " + std::string(look) +
                                    " \"$LINENO\" \"$@\" \"${__wp_end[1]}\"";
  return with_paths(std::string(" { \\. @SCRIPT@ ") +
                        (can_take_tail(command) ? "load_tail " : "load ") + n + " " + before +
                        " \"$_\" &&\\builtin :;\\builtin trap -p DEBUG >>@EVENT@ ||\\builtin :;} "
                        ">/dev/null 2>&1;\\builtin eval \"${__wp_command[" +
                        n + "]-}\";{ __wp_end=(\"${__wp_tail[0]-$?}\" \"${__wp_tail[1]-}\");" +
                        end + " &&\\builtin : \"$_\";} >/dev/null 2>&1\n",
                    holder);
}

namespace {

std::string asking_line(pid_t holder, const char* what, long number) {
  return with_paths(
      " { __wp_end=(\"${__wp_end[0]-$?}\" \"${__wp_end[1]-$_}\");\\. @SCRIPT@ " +
          std::string(what) + std::to_string(number) +
          " \"${__wp_end[0]}\" \"${__wp_end[1]}\" &&\\builtin : \"$_\";} >/dev/null 2>&1\n",
      holder);
}

}  // namespace

std::string report_line(pid_t holder, long number) { return asking_line(holder, "end ", number); }

std::string ask_line(pid_t holder, long number) { return asking_line(holder, "ask ", number); }

std::string catch_up_lines(pid_t holder, long number, const CatchUp& missed) {
  // The shell counts the lines it reads ($LINENO), empty ones too.
  std::string empty(static_cast<std::size_t>(std::max(0L, missed.lines - 1)), '\n');
  return empty + with_paths(" { \\builtin . @COMMAND@ @COMMAND@;\\. @SCRIPT@ end " +
                                std::to_string(number) + " " + std::to_string(missed.status) +
                                " \"$__wp_last\";} >/dev/null 2>&1\n",
                            holder);
}

namespace {

bool contains_word(std::string_view text, std::string_view word) {
  constexpr std::string_view kBreaks = " \t;&|(){}\n";
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    bool begins = at == 0 || kBreaks.find(text[at - 1]) != std::string_view::npos;
    std::size_t end = at + word.size();
    if (begins && (end == text.size() || kBreaks.find(text[end]) != std::string_view::npos))
      return true;
  }
  return false;
}

}  // namespace

// Behind something unfinished the tail would become part of the command, or complete what bash
// should refuse. The rules err on the safe side: without the tail only `$_` is lost.
bool can_take_tail(std::string_view command) {
  if (command.find("<<") != std::string_view::npos) return false;
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
