// AgentChoice: which agent a run has, as the command line and a run's directory say it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "explore/search_agent.h"
#include "wire/json.h"

namespace sf::explore {

struct AgentChoice {
  std::string kind = "llm";  // script, exec, llm, oracle
  std::string file;          // script: its candidates
  milliseconds think{0};     // script: the time that a model would take for a call
  std::string command;       // exec: a command line
  std::string provider;      // llm: openai, anthropic; empty: by which key the environment has
  std::string model;
  std::string base_url;
  std::string prompts;  // a directory
  double temperature = 0.7;
  double price_in = 0;  // dollars for a million tokens
  double price_out = 0;
  std::uint64_t reply_tokens = 0;  // of one answer; 0: as many as the API lets it
  std::string extra_body = "{}";   // merged into each request
  std::size_t at_once = 0;         // requests; 0: no limit, as for the next
  std::size_t per_minute = 0;
};

wire::Json to_json(const AgentChoice& choice);
Result<AgentChoice> agent_choice_from(const wire::Json& json);

// "script:FILE", "exec:COMMAND", "llm", "llm:MODEL", "oracle".
Status parse_agent(const std::string& text, AgentChoice& into);

// `oracle_command`: what the task's own solution does; empty: it has none. `log`: where an agent's
// own complaints go.
Result<std::unique_ptr<Agent>> make_agent(const AgentChoice& choice,
                                          const std::string& oracle_command,
                                          const std::string& log);

}  // namespace sf::explore
