// The options of `explore`, and the ones that a resumed run accepts.
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
  const CLI::App* command = nullptr;  // has the given options
};

void add_explore_options(CLI::App& command, ExploreArguments& arguments);

// Fills in the plan's agent. Requires: the plan has its task.
Status choose_agent(const ExploreArguments& arguments, explore::RunPlan& plan);

// Applies the options to a resumed run; fails if one cannot be changed.
Status change_resumed(const ExploreArguments& arguments, explore::RunPlan& plan);

}  // namespace sf::cli
