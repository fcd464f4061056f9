// Parses a model's reply: a JSON object, possibly fenced and surrounded by other text. Pure. All
// failures are kCorrupt; their message is meant for the model as well.
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

// {"choice": n} counts from 1; the result counts from 0.
Result<std::size_t> parse_choice(std::string_view reply, std::size_t count);

}  // namespace sf::explore::llm
