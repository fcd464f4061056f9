// RunPlan: all options of a run, stored in its directory so that the run can be resumed with the
// directory's name alone.
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
  std::string id;  // also the prefix of its branches
  std::string task_directory;
  std::string policy = "mcts";
  PolicyOptions options;
  Budget budget;
  AgentChoice agent;
  std::string backend = "waypoint";
  std::string materialization = "smart";
  std::string engine;  // of the backend; empty: the backend's default
  std::string network = "none";
  std::string root;                         // the directory that replaces the image of FROM
  std::map<std::string, std::string> from;  // the same for single images
  std::size_t jobs = 1;
  std::optional<seconds> command_timeout;  // nullopt: derived from the task and the agent
  bool compares = true;                    // compare the states for the report
  std::string began;                       // wall time, ISO 8601
  std::string session;                     // empty until the task is built
  std::string state;                       // the node at which the search begins
  std::string workdir;                     // of the task: the directory in which its tests run
};

wire::Json to_json(const RunPlan& plan);
// kCorrupt: not a valid plan.
Result<RunPlan> run_plan_from(const wire::Json& json);

}  // namespace sf::explore
