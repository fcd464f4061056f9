// The lines between an exploration and an agent's program, as docs/agents.md has them. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "explore/search_agent.h"
#include "wire/json.h"

namespace sf::explore {

// Requests, without their ids.
wire::Json propose_request(const Situation& situation);
wire::Json assess_request(const Situation& before, const Turn& turn);
wire::Json choose_request(const Situation& before, const std::vector<Turn>& candidates);

// Answers. kUnsupported: the program says that it failed; kCorrupt: the answer makes no sense.
// What it says it has spent is added to `usage` in each case.
Result<Action> action_from(const wire::Json& answer, Usage& usage);
// Nothing: the program leaves it to us.
Result<std::optional<Assessment>> assessment_from(const wire::Json& answer, Usage& usage);
Result<std::optional<std::size_t>> choice_from(const wire::Json& answer, std::size_t candidates,
                                               Usage& usage);

}  // namespace sf::explore
