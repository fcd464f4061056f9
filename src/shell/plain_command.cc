#include "shell/plain_command.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "base/split.h"

namespace sf::waypoint {
namespace {

constexpr std::string_view kSeparators = ";&|(){}\n";

// Words that change state that no listing shows, or run code that is not in the text.
bool is_obscure(std::string_view word) {
  constexpr std::string_view kWords[] = {
      ".",  "bind",    "builtin", "command", "coproc", "enable", "eval",    "exec",
      "fc", "getopts", "history", "LINENO",  "OPTIND", "RANDOM", "SECONDS", "source"};
  return std::ranges::find(kWords, word) != std::end(kWords) || word.starts_with("BASH_") ||
         word.starts_with("HIST");
}

bool is_name_byte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_obscure_name(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    // A dash is part of the name: docker-command does not match `command`.
    while (end < text.size() && (is_name_byte(text[end]) || text[end] == '-')) ++end;
    if (is_obscure(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

// Assignments, redirections and words like `then` come before the command's own name.
bool comes_before_name(std::string_view word) {
  constexpr std::string_view kWords[] = {"!",    "do",    "elif",  "else", "if",
                                         "then", "until", "while", "time"};
  if (std::ranges::find(kWords, word) != std::end(kWords)) return true;
  if (word.find_first_of("<>") != std::string_view::npos) return true;
  std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::ranges::all_of(word.substr(0, equals),
                             [](char c) { return is_name_byte(c) || c == '+'; });
}

// A builtin that sets a variable by name. If the shell expands the name, it can be any of the names
// above.
bool may_set_any(std::string_view name, std::string_view part) {
  constexpr std::string_view kWords[] = {"declare",   "export",   "local",   "mapfile", "read",
                                         "readarray", "readonly", "typeset", "unset",   "wait"};
  const bool sets = std::ranges::find(kWords, name) != std::end(kWords) ||
                    (name == "printf" && part.find(" -v") != std::string_view::npos);
  return name == "let" || (sets && part.find('$') != std::string_view::npos);
}

// Arithmetic evaluates the values of the variables that it names, assignments included.
bool may_evaluate_values(std::string_view text) {
  for (std::string_view sign : {"((", "$[", "${!"}) {
    if (text.find(sign) != std::string_view::npos) return true;
  }
  if (text.find("[[") != std::string_view::npos) {
    for (std::string_view test : {" -eq", " -ne", " -lt", " -le", " -gt", " -ge"}) {
      if (text.find(test) != std::string_view::npos) return true;
    }
  }
  // ${x:offset} and ${x[index]}
  for (std::size_t at = text.find("${"); at != std::string_view::npos;
       at = text.find("${", at + 1)) {
    std::size_t end = at + 2;
    while (end < text.size() && is_name_byte(text[end])) ++end;
    if (end + 1 >= text.size() || (text[end] != ':' && text[end] != '[')) continue;
    constexpr std::string_view kHarmless = "-=?+@*";
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[end + 1])) != 0;
    if (!is_digit && kHarmless.find(text[end + 1]) == std::string_view::npos) return true;
  }
  return false;
}

bool starts_plainly(std::string_view part) {
  bool file_follows = false;
  for (const std::string& word : split(part, ' ')) {
    if (word.empty() || std::exchange(file_follows, word.ends_with('>') || word.ends_with('<')) ||
        comes_before_name(word))
      continue;
    if (may_set_any(word, part)) return false;
    // A name that the shell has to expand first can be any name.
    return word == "[" || word == "[[" ||
           (!is_obscure(word) && word.find_first_of("$*?~[") == std::string::npos);
  }
  return true;
}

// Prepares the text for the checks: removes quotes ("get""opts" is getopts), joins continued lines,
// and replaces & and | in the operators >& and >|, which are not separators.
std::string without_quotes(std::string_view command) {
  std::string text;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    if (c == '\\' && at + 1 < command.size() && command[at + 1] == '\n') ++at;
    if (c == '\'' || c == '"' || c == '\\') continue;
    const bool after_redirection = text.ends_with('>') || text.ends_with('<');
    text += c == '\t' ? ' ' : after_redirection && (c == '&' || c == '|') ? '>' : c;
  }
  return text;
}

// `{a,b}` can expand to any word.
bool has_brace_expansion(std::string_view text) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    bool is_parameter = at > 0 && text[at - 1] == '$';
    bool is_group = at + 1 < text.size() && (text[at + 1] == ' ' || text[at + 1] == '\n');
    if (!is_parameter && !is_group) return true;
  }
  return false;
}

}  // namespace

bool is_plain(std::string_view command) {
  const std::string text = without_quotes(command);
  if (has_obscure_name(text) || has_brace_expansion(text) || may_evaluate_values(text) ||
      text.find('`') != std::string::npos)
    return false;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t end = rest.find_first_of(kSeparators);
    if (!starts_plainly(rest.substr(0, end))) return false;
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return true;
}

}  // namespace sf::waypoint
