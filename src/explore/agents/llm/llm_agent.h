// LlmAgent: a model proposes, assesses and chooses (docs/agents.md).
#pragma once

#include <memory>

#include "base/result.h"
#include "explore/agents/llm/llm_options.h"
#include "explore/search_agent.h"

namespace sf::explore {

// kInvalidArgument: no model, no key, or an invalid prompt. Sends no request.
Result<std::unique_ptr<Agent>> make_llm_agent(const LlmOptions& options);

}  // namespace sf::explore
