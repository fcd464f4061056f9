// Prompts: the texts that a model receives, from files that users can edit. Each prompt has a
// system part, a user part, and placeholders in double braces:
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

// kInvalidArgument: a part is missing, or the text has a placeholder that is not in `names`.
Result<Prompt> parse_prompt(std::string_view text, const std::vector<std::string>& names);
// Inserted values are not searched for placeholders. Requires: `values` has every placeholder of
// the text.
std::string fill_in(std::string_view text, const PromptValues& values);

struct Prompts {
  Prompt propose;  // instruction, history, siblings
  Prompt assess;   // instruction, history, step
  Prompt choose;   // instruction, history, candidates
};
// Reads propose.md, assess.md and choose.md from the directory. Uses the built-in prompt for a
// missing file. If the name is empty, uses all built-in prompts.
Result<Prompts> load_prompts(const std::string& directory);

struct PromptTexts {
  std::string_view propose;
  std::string_view assess;
  std::string_view choose;
};
PromptTexts built_in_prompts();  // the project's prompts/ at build time

}  // namespace sf::explore::llm
