// RunPlan: everything a run was asked to do, as its directory keeps it, so that it can be resumed
// with nothing but the directory's name.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "explore/agents/agent_choice.h"
#include "explore/budget.h"
#include "explore/search_policy.h"
#include "wire/json.h"

namespace sf::explore {

struct RunPlan {
  std::string id;  // also the beginning of its branches' names
  std::string task_directory;
  std::string policy = "mcts";
  PolicyOptions options;
  Budget budget;
  AgentChoice agent;
  std::string backend = "waypoint";
  std::string materialization = "smart";
  std::string engine;  // of the backend; empty: its own choice
  std::string network = "none";
  std::string root;                         // what FROM stands for
  std::map<std::string, std::string> from;  // the same, for single images
  std::size_t jobs = 1;
  std::optional<seconds> command_timeout;  // nothing: by the task and the agent
  bool compares = true;                    // states, for the report
  std::string began;                       // wall time, ISO 8601
  std::string session;                     // once the task was built
  std::string state;                       // the node that the search begins from
  std::string workdir;                     // of the task: where its tests run
};

wire::Json to_json(const RunPlan& plan);
// kCorrupt: it is none.
Result<RunPlan> run_plan_from(const wire::Json& json);

}  // namespace sf::explore
