// Builds a task's system as nodes of a session: one for each instruction of its Dockerfile. Tasks
// over the same root share a session, and so the steps they have in common.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "client/api_client.h"
#include "explore/tasks/build_plan.h"
#include "explore/tasks/task.h"

namespace sf::explore {

struct BuildSettings {
  std::string root;  // the directory that FROM stands for
  ImageDefaults defaults;
  std::string backend;
  std::string policy;  // materialization
  std::string engine;  // empty: the backend's own choice
  std::string network;
  UploadPlan brings;         // what the agent has beside the image, after its last step
  std::string brings_check;  // fails where that would be of no use, and says why
};

struct BuiltTask {
  std::string session;
  std::string node;
  std::string workdir;
};

struct BuildEvents {
  // Told of each step before it is done, and of those that were found.
  std::function<void(const std::string& title, bool is_reused)> on_step;
  // Asked all the time; true: the step under way is broken off.
  std::function<bool()> stopping;
};

// Builds in a branch of that name, which is ended in the end, and so is a new session without one
// step that others could use. kBusy: it was stopped.
Result<BuiltTask> build_task(const client::ApiClient& api, const Task& task,
                             const BuildSettings& settings, const std::string& branch,
                             const BuildEvents& events);

}  // namespace sf::explore
