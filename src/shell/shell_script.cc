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

// Replaces "@NAME(words)@" by meaning("\"words\"").
void expand(std::string& text, std::string_view name,
            const std::function<std::string(const std::string&)>& meaning) {
  const std::string begin = "@" + std::string(name) + "(";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    const std::size_t end = text.find(")@", at);
    const std::size_t words = at + begin.size();
    text.replace(at, end + 2 - at, meaning("\"" + text.substr(words, end - words) + "\""));
  }
}

// Rules for this script:
// - Every command is called with `builtin`: the user may have functions and aliases of any name.
// - A part returns the status that it was given, and its last argument becomes `$_`, so `$?` and
//   `$_` do not change. Under `set -e` it returns 0: a failing status would end the shell.
// - Each answer names its record, so the script skips an answer that an interrupted shell has left
//   unread.
// - `echo`, or else `printf`: a user may disable one builtin (`enable -n echo`), but hardly both.
// - `mapfile` instead of `read`: it does not need IFS, which may be readonly.
// - Bash parses a sourced file command by command. Each part returns at its end, so bash does not
//   parse the later parts. The parts that each command needs come first, the longest of them last.
//   Bash gets to the end of the file only if `return` is disabled.
// - The holder may be killed at any time; then no record can be written. The script opens the
//   answer pipe before it writes a record, so it can always read the answer to a written record.
// - __wp_command (by the command's number) marks a loaded command, __wp_end an ended one. The
//   script unsets them when it has reported the command. If no answer arrives, the driver types
//   ask_line() or report_line(), which use them.
// - A command that may fail is followed by `&&` or `||`, or `set -e` would end the shell. `builtin
//   .` with a missing file ends the shell even then, so `.` is called without `builtin`.
// - Our variables must not have attributes of the user's (`declare -u` would change the command).
//   If one is readonly, no command can be loaded: the shell reports R and waits to be killed.
// - Between two commands the shell is at rest (@REST@): prompts are empty, `set -x`, `set -v` and
//   TMOUT are off. So the shell prints nothing and traces none of our lines. @SHOW@ undoes this.
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
case $1 in load | load_tail | source | source_tail)
  builtin unset -n @NAMES@ && builtin unset -v @NAMES@ || \. @SCRIPT@ refuse "$2" names
  {
    { @TELL(B $2 ${-//[!xv]/},${__wp_rest-})@; } && @AWAIT(B $2)@
  } <@ACK@
  case ${__wp_ack-} in "B $2")
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
  case $1 in source*)
    builtin printf '%s\n' "${__wp_command[$2]}" >|@COMMAND@ || \. @SCRIPT@ refuse "$2" file
    ;;
  esac
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
// The first `:` makes a bash that an interrupt kept from waiting for its program wait for it now,
// before it reports an end (ShellDriver::regain_terminal).
// `unset -n` comes before `unset -v`: if the user has made one of our names a reference to another
// variable (`declare -n`), `unset -v` would remove that variable. Unsetting __wp_ack also removes
// attributes that would change the expected answer. After plain_line(), the flag "h" means that the
// user has switched the history off.
constexpr const char* kEnd =
    R"(builtin :
  builtin unset -n __wp_ack && builtin unset -v __wp_ack || builtin :
  case $3 in "" | *[!0-9]*) \. @SCRIPT@ refuse "$2" status ;; esac
  {
    { @TELL(E $2 $3 ${-//[!v]/}${TMOUT:+t}${PROMPT_COMMAND[*]:+p}${__wp_tail:+${__wp_tail//[!h]/}})@; } && builtin unset -n @OWN@ && builtin unset -v @OWN@ && @AWAIT(E $2)@
  } <@ACK@ || builtin return 1)";
constexpr const char* kLeave =
    R"(builtin unset -v __wp_ack; case $- in *e*) builtin return 0 ;; esac; builtin return "$3")";
// The short path: usually only line editing must be switched off or on. It must be switched off:
// if bash has the option set but does not edit lines, it does not run PROMPT_COMMAND.
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
// Removes plain_line()'s own line from the user's history.
constexpr const char* kForget = R"(builtin unset -v __wp_ack
  HISTTIMEFORMAT= builtin history 1 >|@COMMAND@ && builtin mapfile -t __wp_ack <@COMMAND@
  case ${__wp_ack-} in *' { __wp_end='*)
    __wp_ack=${__wp_ack#"${__wp_ack%%[0-9]*}"}
    builtin history -d "${__wp_ack%%[!0-9]*}"
    ;;
  esac)";
// Set only while keys are typed. In a command, PS1 is empty unless the user has set it.
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

// The shell starts at rest, as after a command. `set -o emacs` in this file would switch line
// editing on too early, so __wp_rest makes the script do it before the first keys.
std::string shell_rc_file() {
  return R"(PS1= PS2='> '
set +o history
__wp_rest=wp:
__wp_rest[4]=edit
)";
}

}  // namespace sf::waypoint
