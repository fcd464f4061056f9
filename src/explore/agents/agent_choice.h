// AgentChoice: the agent of a run and its options, as given on the command line and stored in the
// run's directory.
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
  std::string file;          // script: file with the candidates
  milliseconds think{0};     // script: simulated duration of a model call
  std::string command;       // exec: a command line
  std::string provider;      // llm: openai or anthropic; empty: depends on the API key that is set
  std::string model;
  std::string base_url;
  std::string prompts;  // a directory
  double temperature = 0.7;
  double price_in = 0;  // dollars per million tokens
  double price_out = 0;
  std::uint64_t reply_tokens = 0;  // limit of one answer; 0: the API's limit
  std::string extra_body = "{}";   // merged into each request
  std::size_t at_once = 0;         // concurrent requests; 0: no limit, also in the next field
  std::size_t per_minute = 0;
};

wire::Json to_json(const AgentChoice& choice);
Result<AgentChoice> agent_choice_from(const wire::Json& json);

// Parses "script:FILE", "exec:COMMAND", "llm", "llm:MODEL" or "oracle".
Status parse_agent(const std::string& text, AgentChoice& into);

// `oracle_command`: runs the task's own solution; empty if the task has none. `log`: file for the
// agent's standard error.
Result<std::unique_ptr<Agent>> make_agent(const AgentChoice& choice,
                                          const std::string& oracle_command,
                                          const std::string& log);

}  // namespace sf::explore
