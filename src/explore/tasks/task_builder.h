// Builds a task's system as nodes of a session, one node per instruction of its Dockerfile. Tasks
// with the same root share a session, and with it the steps they have in common.
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
  std::string root;  // the directory that replaces the image of FROM
  ImageDefaults defaults;
  std::string backend;
  std::string policy;  // materialization
  std::string engine;  // empty: the backend's own choice
  std::string network;
  UploadPlan brings;         // extra files for the agent, uploaded after the last step
  std::string brings_check;  // fails with a message if these files would be useless
};

struct BuiltTask {
  std::string session;
  std::string node;
  std::string workdir;
};

struct BuildEvents {
  // Called before each step, and for each step that is built already.
  std::function<void(const std::string& title, bool is_reused)> on_step;
  // Polled during the build. If it returns true, the running step is aborted.
  std::function<bool()> stopping;
};

// Builds in a branch with that name and ends the branch. If no step succeeds, a new session is
// removed as well. kBusy: the build was stopped.
Result<BuiltTask> build_task(const client::ApiClient& api, const Task& task,
                             const BuildSettings& settings, const std::string& branch,
                             const BuildEvents& events);

}  // namespace sf::explore
