// ExecAgent: an external program that answers lines of JSON (docs/agents.md).
#pragma once

#include <memory>

#include "base/result.h"
#include "explore/agents/exec/agent_program.h"
#include "explore/search_agent.h"

namespace sf::explore {

// Starts the program; it runs as long as the agent. If the program does not support `assess`, a
// state is valued by the exit status of its command. If it does not support `choose`, the candidate
// with the highest value is chosen.
Result<std::unique_ptr<Agent>> make_exec_agent(const ProgramOptions& options);

}  // namespace sf::explore
