// What a model means by its reply: a JSON object somewhere in it, fenced or not, with thoughts
// around it or not. Pure. All failures are kCorrupt and say what is wrong, so that the model can be
// told.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "explore/search_tree.h"

namespace sf::explore::llm {

// {"thought": "...", "command": "...", "done": false}
Result<Action> parse_action(std::string_view reply);

struct Judgement {
  double value = 0;
  std::string reflection;
};
// {"value": 0.5, "reflection": "..."}
Result<Judgement> parse_judgement(std::string_view reply);

// {"choice": n}, where the first of them is 1; the result's first is 0.
Result<std::size_t> parse_choice(std::string_view reply, std::size_t count);

}  // namespace sf::explore::llm
