// A whole run: builds the task, searches the tree, writes the results. A resumed run keeps the
// results of the killed one and does not repeat its work.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/api_client.h"
#include "explore/explorer.h"
#include "explore/run/exports.h"
#include "explore/run/run_directory.h"
#include "explore/run/run_plan.h"
#include "explore/tasks/task_builder.h"

namespace sf::explore {

struct RunEvents {
  std::function<void(const std::string& title, bool is_reused)> on_build;
  std::function<void(const SearchTree&, const std::vector<Step>& under_way)> on_progress;
  std::function<void(const std::string& what)> on_phase;  // "comparing states", ...
  std::function<bool()> stopping;                         // also called during the build
};

struct FinishedRun {
  RunPlan plan;
  SearchTree tree;
  RunSummary summary;
};

// `root_of`: maps an image's name to the root directory that replaces it, and its settings.
struct RootDirectory {
  std::string path;
  ImageDefaults defaults;
};
using RootFinder = std::function<Result<RootDirectory>(const std::string& image)>;

Result<FinishedRun> carry_out(const client::ApiClient& api, RunDirectory& directory, RunPlan plan,
                              const RootFinder& root_of, const RunEvents& events);

}  // namespace sf::explore
