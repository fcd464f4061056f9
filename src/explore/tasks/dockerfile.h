// Parses a Dockerfile into a list of instructions and does not interpret them. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::explore {

struct HereDocument {
  std::string name;      // the delimiter
  std::string content;   // lines with their line ends
  bool expands = false;  // has variables to expand; false if the delimiter is quoted
  friend bool operator==(const HereDocument&, const HereDocument&) = default;
};

struct Instruction {
  std::string keyword;                       // in upper case
  std::map<std::string, std::string> flags;  // for example --chown=a:b
  std::string text;                          // the arguments, with continuation lines joined
  std::vector<std::string> words;            // of the form ["a", "b"]; empty for other forms
  std::vector<HereDocument> documents;
  int line = 0;  // first line, from 1
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

// kInvalidArgument names the line.
Result<std::vector<Instruction>> parse_dockerfile(std::string_view text);

// Expands $NAME, ${NAME}, ${NAME:-else} and ${NAME:+instead}. A backslash before $ prevents it.
std::string substitute(std::string_view text, const std::map<std::string, std::string>& variables);
// Splits the words of ENV, LABEL and COPY like a shell: quotes and backslashes are removed.
Result<std::vector<std::string>> split_words(std::string_view text);
// Parses both forms of ENV: "A=1 B='2 3'" and "A 1". Values are not expanded.
Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(std::string_view text);

}  // namespace sf::explore
