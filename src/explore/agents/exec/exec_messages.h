// Messages between an exploration and an agent program (docs/agents.md), one line of JSON each.
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "explore/search_agent.h"
#include "wire/json.h"

namespace sf::explore {

// Requests, without their ids. AgentProgram adds them.
wire::Json propose_request(const Situation& situation);
wire::Json assess_request(const Situation& before, const Turn& turn);
wire::Json choose_request(const Situation& before, const std::vector<Turn>& candidates);

// Answers. kUnsupported: the program reports an error; kCorrupt: the answer is malformed. The usage
// that the answer reports is added to `usage`, also if the call fails.
Result<Action> action_from(const wire::Json& answer, Usage& usage);
// nullopt: the program does not support this request; the caller decides.
Result<std::optional<Assessment>> assessment_from(const wire::Json& answer, Usage& usage);
Result<std::optional<std::size_t>> choice_from(const wire::Json& answer, std::size_t candidates,
                                               Usage& usage);

}  // namespace sf::explore
