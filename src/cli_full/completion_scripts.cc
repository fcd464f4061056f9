// The scripts pass the words to `statefork __complete` and pass its output to their shell.
#include "cli_full/completion.h"

namespace sf::cli {
namespace {

constexpr const char* kBash =
    R"SCRIPT(# bash completion of statefork: source <(statefork completion bash)
_statefork() {
  local cur=${COMP_WORDS[COMP_CWORD]} line word found
  COMPREPLY=()
  [[ $cur == [=:] ]] && cur=
  while IFS= read -r line; do
    case $line in
      %files | %directories)
        [[ $line == %files ]] && found=-f || found=-d
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$found" -- "$cur")
        compopt -o filenames 2>/dev/null
        ;;
      *)
        word=${line%%$'\t'*}
        COMPREPLY+=("${word#*=}")
        [[ $word == *: ]] && compopt -o nospace 2>/dev/null
        ;;
    esac
  done < <(statefork __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _statefork statefork
)SCRIPT";

constexpr const char* kZsh = R"SCRIPT(#compdef statefork
# zsh completion of statefork: source <(statefork completion zsh), after compinit
_statefork() {
  local line files
  local -a found open
  while IFS= read -r line; do
    case $line in
      %files) files=f ;;
      %directories) files=d ;;
      *:$'\t'*) open+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done < <(statefork __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe statefork found
  (( $#open )) && _describe statefork open -S ''
  [[ $files == f ]] && _files
  [[ $files == d ]] && _files -/
  return 0
}
if [[ $funcstack[1] == _statefork ]]; then
  _statefork "$@"
else
  compdef _statefork statefork
fi
)SCRIPT";

constexpr const char* kFish =
    R"SCRIPT(# fish completion of statefork: statefork completion fish | source
function __statefork_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (statefork __complete $words[2..-1] 2>/dev/null)
    switch $line
      case %files
        __fish_complete_path (commandline -ct)
      case %directories
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c statefork -f -a '(__statefork_complete)'
)SCRIPT";

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return "";
}

}  // namespace sf::cli
