// The options of `explore`, and which of them a run takes that is resumed.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/commands/command_frame.h"
#include "explore/run/run_plan.h"

namespace sf::cli {

struct ExploreArguments : CommandFrame {
  std::string task;
  std::string resume;
  std::string out;
  std::string agent = "llm";
  std::vector<std::string> from;
  explore::RunPlan plan;
  const CLI::App* command = nullptr;  // knows which were given
};

void add_explore_options(CLI::App& command, ExploreArguments& arguments);

// Fills in the plan's agent. Requires: the plan has its task.
Status choose_agent(const ExploreArguments& arguments, explore::RunPlan& plan);

// Changes what may be changed of a run that goes on; refuses what may not.
Status change_resumed(const ExploreArguments& arguments, explore::RunPlan& plan);

}  // namespace sf::cli
