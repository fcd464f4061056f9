#include "shell/shell_script.h"

#include "shell/init/init_protocol.h"

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

// "@TELL(words)@": `before`, the words in quotes, `after`.
void expand(std::string& text, std::string_view name,
            const std::function<std::string(const std::string&)>& meaning) {
  const std::string begin = "@" + std::string(name) + "(";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    const std::size_t end = text.find(")@", at);
    const std::size_t words = at + begin.size();
    text.replace(at, end + 2 - at, meaning("\"" + text.substr(words, end - words) + "\""));
  }
}

// `builtin` everywhere: the user may have functions and aliases of any name. The script ends with
// the status it was given, and `$_` is its last argument, so both are what they were. Under `set
// -e` a failing status would end the shell once more than the user asked for. Each answer names its
// record: one that an interrupted shell left unread must not pass for the next. `echo` or `printf`:
// users switch builtins off (`enable -n echo`), but hardly both. `mapfile`, not `read`: it does not
// ask for IFS, which may be readonly. bash reads a sourced file command by command: each part
// leaves at its end, so that those behind it are not even parsed. So the parts that each command
// needs come first, and the longest of them last. Who comes to the end of the file has no `return`.
// The holder may be killed at any moment, and then nothing can be told: the way back is opened
// first, so whoever has told something also hears the answer. What tells of a command that was
// loaded (__wp_command, by its number), or that ended (__wp_end, likewise), goes once that was
// told: whoever is left without an answer asks (ask_line, report_line). What may not be there
// stands before `&&` or `||`, or `set -e` would end the shell; under it `builtin .` without a file
// does so even there, so `.` goes without `builtin`.
// Before a command is loaded, the shell may be asked for its functions and aliases: if they may
// switch the editing of lines, the answer is that the command is to be sourced (RunBy::kList).
// Our variables must not have attributes of the user's (`declare -u` would change the command). If
// one is readonly, no command can be loaded: the shell says so (R) and waits for its end.
// Between two commands the shell is at rest (@HIDE@): prompts are empty, `set -x`, `set -v` and
// TMOUT are off. So nothing is printed and no line of ours is traced. @SHOW@ brings them back.
constexpr std::string_view kScriptText =
    R"script(case $1 in start)
  {
    { @TELL(S $2)@; } && builtin unset -v __wp_command __wp_tail __wp_end __wp_last __wp_keep && @AWAIT(S $2)@
  } <@ACK@
  @SHOW_ANY@
  @LEAVE@ ;;
esac
case $1 in end)
  builtin unset -n __wp_rest && builtin unset -v __wp_rest
  @END@
  @REST_ANY@
  @LEAVE@ ;;
esac
case $1 in load | load_tail | source | source_tail | list | list_tail)
  builtin unset -n @NAMES@ && builtin unset -v @NAMES@ || \. @SCRIPT@ refuse "$2" names
  case $1 in list*)
    {
      builtin declare -f && builtin alias -p && builtin echo "@LISTED@"
    } >|@COMMAND@ || builtin :
    ;;
  esac
  {
    { @TELL(B $2 ${-//[!xv]/},${__wp_rest-})@; } && while builtin mapfile -t -n 1 __wp_ack && [[ ${__wp_ack-} && $__wp_ack != "B $2" && $__wp_ack != "B $2 source" ]]; do builtin :; done
  } <@ACK@
  case ${__wp_ack-} in "B $2" | "B $2 source")
    if builtin mapfile -d '' -t -n 1 -O "$2" __wp_command <@COMMAND@; then
      case ${__wp_command[$2]+loaded} in "") __wp_command[$2]= ;; esac
    else
      IFS= builtin read -r -d '' "__wp_command[$2]" <@COMMAND@
    fi
    ;;
  esac
  case ${__wp_command[$2]+loaded} in "") @LEAVE@ ;; esac
  builtin history -s -- "${__wp_command[$2]}"
  __wp_keep=([$2]="$3" "$4")
  case $1:${__wp_rest-} in *_tail:wp:*v*) ;; *_tail:*) __wp_command[$2]+=$'\n@TAIL@' ;; esac
  __wp_command[$2]="{ \\. @SCRIPT@ start $2 \"\${__wp_keep[$2]}\" \"\${__wp_keep[$2+1]}\" && \\builtin : \"\$_\"; } >/dev/null 2>&1"$'\n'"${__wp_command[$2]}"
  case $1${__wp_ack-} in source* | *source)
    builtin printf '%s\n' "${__wp_command[$2]}" >|@COMMAND@ || \. @SCRIPT@ refuse "$2" file
    ;;
  esac
  case $1${__wp_ack-} in list*source) __wp_command[$2]='\. @COMMAND@' ;; esac
  @LEAVE@ ;;
esac
case $1 in end_look)
  {
    { @TELL(Q $2)@; } && while builtin mapfile -t -n 1 __wp_ack && [[ ${__wp_ack-} && $__wp_ack != "Q $2 "* ]]; do builtin :; done
  } <@ACK@
  case ${__wp_ack-} in *yes)
    {
      builtin unset -v @NAMES@ __wp_rest
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
      builtin printf '\n%s loud\n%s' "$4" "${-//[!xv]/}${PROMPT_COMMAND[*]-}${!-}"
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
  __wp_end=$3
  __wp_last=${@:$#}
  builtin unset -n __wp_rest && builtin unset -v __wp_rest
  @END@
  @REST_ANY@
  @LEAVE@ ;;
esac
case $1 in again)
  @END@
  @REST_ANY@
  @LEAVE@ ;;
esac
case $1 in ask)
  case ${__wp_command[$2]+loaded} in "")
    @TELL(G $2)@
    @LEAVE@ ;;
  esac
  @END@
  @REST_ANY@
  @LEAVE@ ;;
esac
case $1 in enter)
  @SHOW_ANY@
  case ${PS1-} in "") builtin printf -v PS1 %s '@PROMPT@' ;; esac
  @END@
  @LEAVE@ ;;
esac
case $1 in plain | plain_unwritten)
  case :$4: in *:emacs:*) builtin set -o emacs ;; *:vi:*) builtin set -o vi ;; esac
  case $1 in plain) @FORGET@ ;; esac
  builtin unset -n __wp_rest __wp_tail
  @REST_ANY@
  case :$4: in *:history:*) __wp_tail= ;; *) __wp_tail=h ;; esac
  @END@
  @LEAVE@ ;;
esac
case $1 in show)
  @SHOW@
  builtin return ;;
esac
case $1 in rest)
  @REST@
  builtin return ;;
esac
case $1 in refuse)
  {
    { @TELL(R $2 $3)@; } && @AWAIT(R $2)@
  } <@ACK@
  ;;
esac
@TELL(R $2 return)@
)script";
// First nothing: a bash that an interrupt kept from waiting for its program does so then, before it
// tells of an end (ShellDriver::regain_terminal).
// No attribute of the user's may change the answer that is waited for. A name of ours that the user
// has made a reference to one of theirs (`declare -n`) stops being one before it is unset: else
// theirs would be gone. After the editing of lines, "h" says that the user has switched the history
// off (plain_line).
constexpr const char* kEnd =
    R"(builtin :
  builtin unset -n __wp_ack && builtin unset -v __wp_ack || builtin :
  case $3 in "" | *[!0-9]*) \. @SCRIPT@ refuse "$2" status ;; esac
  {
    { @TELL(E $2 $3 ${-//[!v]/}${TMOUT:+t}${PROMPT_COMMAND[*]:+p}${__wp_tail:+${__wp_tail//[!h]/}})@; } && builtin unset -n @OWN@ && builtin unset -v @OWN@ && @AWAIT(E $2)@
  } <@ACK@ || builtin return 1)";
constexpr const char* kLeave =
    R"(builtin unset -v __wp_ack; case $- in *e*) builtin return 0 ;; esac; builtin return "$3")";
// Mostly there is nothing but the editing of lines to put away or to bring back. While bash
// believes that it edits lines, and does not, it runs no PROMPT_COMMAND.
constexpr const char* kRestAny =
    R"(case ${PS1-}${PS0-}${TMOUT-}${-//[!xv]/}${__wp_rest-} in
    "")
      case :$SHELLOPTS: in
        *:emacs:*) __wp_rest=([0]=wp: [4]=edit); builtin set +o emacs ;;
        *:vi:*) __wp_rest=([0]=wp: [4]=vi); builtin set +o vi ;;
        *) __wp_rest=wp: ;;
      esac
      ;;
    *) \. @SCRIPT@ rest ;;
  esac)";
constexpr const char* kShowAny =
    R"(case ${__wp_rest-}${#__wp_rest[@]}${__wp_rest[4]-} in
    wp:1) builtin unset -v __wp_rest ;;
    wp:2edit) builtin unset -v __wp_rest; builtin set -o emacs ;;
    *) \. @SCRIPT@ show ;;
  esac)";
// `printf -v`: an assignment to a readonly variable would end the script.
constexpr const char* kRest = R"(case ${__wp_rest-} in
    wp:*) ;;
    *)
      if builtin unset -v __wp_rest; then
        __wp_rest=("wp:${-//[!xv]/}")
        case ${PS1:+x} in x) __wp_rest[1]=$PS1; builtin printf -v PS1 '' ;; esac
        case ${PS0:+x} in x) __wp_rest[2]=$PS0; builtin printf -v PS0 '' ;; esac
        case ${TMOUT:+x} in x) __wp_rest[3]=$TMOUT; builtin printf -v TMOUT 0 ;; esac
        case :$SHELLOPTS: in
          *:emacs:*) __wp_rest[4]=edit; builtin set +o emacs ;;
          *:vi:*) __wp_rest[4]=vi; builtin set +o vi ;;
        esac
        case $- in *[xv]*) builtin set +xv ;; esac
      fi
      ;;
  esac)";
constexpr const char* kShow = R"(case ${__wp_rest-} in wp:*)
    case ${__wp_rest[1]-} in "" | '@PROMPT@') ;; *) builtin printf -v PS1 %s "${__wp_rest[1]}" ;; esac
    case ${__wp_rest[2]+x} in x) builtin printf -v PS0 %s "${__wp_rest[2]}" ;; esac
    case ${__wp_rest[3]+x} in x) builtin printf -v TMOUT %s "${__wp_rest[3]}" ;; esac
    case ${__wp_rest[4]-} in edit) builtin set -o emacs ;; vi) builtin set -o vi ;; esac
    case $__wp_rest in *v*) builtin set -v ;; esac
    case $__wp_rest in *x*) builtin unset -v __wp_rest; builtin set -x ;; esac
    builtin unset -v __wp_rest
    ;;
  esac)";
// The line that ended the editing is not the user's.
constexpr const char* kForget = R"(builtin unset -v __wp_ack
  HISTTIMEFORMAT= builtin history 1 >|@COMMAND@ && builtin mapfile -t __wp_ack <@COMMAND@
  case ${__wp_ack-} in *' { __wp_end='*)
    __wp_ack=${__wp_ack#"${__wp_ack%%[0-9]*}"}
    builtin history -d "${__wp_ack%%[!0-9]*}"
    ;;
  esac)";
// Only while somebody types: a command finds PS1 empty, unless its user has set it.
constexpr const char* kPrompt = R"(\u@\h:\w\$ )";
constexpr const char* kOwn = "__wp_command __wp_tail __wp_end __wp_last";
constexpr const char* kNames = "__wp_ack __wp_command __wp_tail __wp_end __wp_keep __wp_last";

}  // namespace

std::string with_paths(std::string_view text, pid_t holder) {
  std::string out(text);
  replace_all(out, "@END@", kEnd);
  replace_all(out, "@REST_ANY@", kRestAny);
  replace_all(out, "@SHOW_ANY@", kShowAny);
  replace_all(out, "@REST@", kRest);
  replace_all(out, "@SHOW@", kShow);
  replace_all(out, "@FORGET@", kForget);
  replace_all(out, "@LEAVE@", kLeave);
  replace_all(out, "@NAMES@", kNames);
  replace_all(out, "@OWN@", kOwn);
  replace_all(out, "@PROMPT@", kPrompt);
  replace_all(out, "@TAIL@", std::string(kTailLine));
  replace_all(out, "@LISTED@", std::string(kListed));
  expand(out, "TELL", [](const std::string& words) {
    return "builtin echo " + words + " >>@EVENT@ || builtin printf '%s\\n' " + words + " >>@EVENT@";
  });
  expand(out, "AWAIT", [](const std::string& words) {
    return "while builtin mapfile -t -n 1 __wp_ack && [[ ${__wp_ack-} && $__wp_ack != " + words +
           " ]]; do builtin :; done";
  });
  replace_all(out, "@COMMAND@", fd_path(holder, kCommandText));
  replace_all(out, "@SCRIPT@", fd_path(holder, kScript));
  replace_all(out, "@EVENT@", fd_path(holder, kEventWrite));
  replace_all(out, "@ACK@", fd_path(holder, kAckRead));
  return out;
}

std::string protocol_script(pid_t holder) { return with_paths(kScriptText, holder); }

// The shell starts at rest, as the script leaves it after a command. It edits lines (`set -o
// emacs`), but `set` in this file would make it do so at once: the script says it later.
std::string shell_rc_file() {
  return R"(PS1= PS2='> '
set +o history
__wp_rest=wp:
__wp_rest[4]=edit
)";
}

}  // namespace sf::waypoint
