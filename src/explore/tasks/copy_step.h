// COPY and ADD: resolves the files of the context and their targets.
#pragma once

#include <string>

#include "base/result.h"
#include "explore/tasks/build_plan.h"
#include "explore/tasks/docker_ignore.h"
#include "explore/tasks/upload.h"

namespace sf::explore {

struct CopyPlan {
  UploadPlan upload;
  std::string command;  // sets owners and modes and unpacks archives after the upload; may be empty
};

// Rejects files outside the context. Files that match the ignore rules do not exist for the step.
Result<CopyPlan> plan_copy(const BuildStep& step, const std::string& context,
                           const IgnoreRules& ignored = {});

}  // namespace sf::explore
