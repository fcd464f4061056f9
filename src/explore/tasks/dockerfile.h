// A Dockerfile as a list of instructions. Pure: what each of them does is for whoever builds.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::explore {

struct HereDocument {
  std::string name;      // the word that ends it
  std::string content;   // lines with their ends
  bool expands = false;  // variables in it; a quoted word says no
  friend bool operator==(const HereDocument&, const HereDocument&) = default;
};

struct Instruction {
  std::string keyword;                       // in capitals
  std::map<std::string, std::string> flags;  // --chown=a:b
  std::string text;                          // what follows, continuation lines joined
  std::vector<std::string> words;            // of the form ["a", "b"]; empty: it is not that form
  std::vector<HereDocument> documents;
  int line = 0;  // where it begins, from 1
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

// kInvalidArgument names the line.
Result<std::vector<Instruction>> parse_dockerfile(std::string_view text);

// $NAME, ${NAME}, ${NAME:-else}, ${NAME:+instead}; a backslash before $ keeps it.
std::string substitute(std::string_view text, const std::map<std::string, std::string>& variables);
// Words of ENV, LABEL and COPY as a shell would cut them: quotes and backslashes are taken away.
Result<std::vector<std::string>> split_words(std::string_view text);
// ENV's two forms: "A=1 B='2 3'" and "A 1". Values before substitution.
Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(std::string_view text);

}  // namespace sf::explore
