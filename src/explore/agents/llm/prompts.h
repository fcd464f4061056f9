// Prompts: what a model is told, as files that people edit. Each has a part for the system and one
// for the user, and names in double braces for what is filled in:
//
//   # System
//   You work in a shell.
//   # User
//   Your task: {{instruction}}
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::explore::llm {

struct Prompt {
  std::string system;
  std::string user;
};
using PromptValues = std::map<std::string, std::string, std::less<>>;

// kInvalidArgument: a part is missing, or a name that is not among `names` is to be filled in.
Result<Prompt> parse_prompt(std::string_view text, const std::vector<std::string>& names);
// What is filled in is not looked at again. Requires: all names of the text have values.
std::string fill_in(std::string_view text, const PromptValues& values);

struct Prompts {
  Prompt propose;  // instruction, history, siblings
  Prompt assess;   // instruction, history, step
  Prompt choose;   // instruction, history, candidates
};
// propose.md, assess.md and choose.md of the directory; for what it lacks, and for an empty name,
// those that are built in.
Result<Prompts> load_prompts(const std::string& directory);

struct PromptTexts {
  std::string_view propose;
  std::string_view assess;
  std::string_view choose;
};
PromptTexts built_in_prompts();  // the project's prompts/, as they were when it was built

}  // namespace sf::explore::llm
