#include "control/random_sources.h"

#include <algorithm>
#include <array>

namespace sf::control {
namespace {

bool is_in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

bool draws_by_chance(std::string_view command) {
  // The programs in the last rows write times or inode numbers into files.
  constexpr std::array<std::string_view, 34> kWords = {
      "EPOCHREALTIME", "EPOCHSECONDS", "RANDOM",  "SECONDS", "SRANDOM", "BASHPID", "date",
      "genpkey",       "genrsa",       "mktemp",  "pwgen",   "rand",    "random",  "secrets",
      "shuf",          "ssh-keygen",   "urandom", "uuid",    "uuid1",   "uuid4",   "uuidgen",
      "bzr",           "cargo",        "git",     "gzip",    "hg",      "npm",     "pip",
      "pip3",          "python",       "python3", "svn",     "tar",     "zip"};
  while (!command.empty()) {
    const auto* begin = std::find_if(command.begin(), command.end(), is_in_word);
    const auto* end = std::find_if_not(begin, command.end(), is_in_word);
    if (std::ranges::find(kWords, std::string_view(begin, end)) != kWords.end()) return true;
    command = std::string_view(end, command.end());
  }
  return false;
}

bool draws_by_chance(const CommandLog& log) {
  return std::ranges::any_of(log, [](const LogEntry& entry) {
    return entry.kind == EntryKind::kCommand && draws_by_chance(entry.text);
  });
}

}  // namespace sf::control
