// COPY and ADD: which files of the context go where.
#pragma once

#include <string>

#include "base/result.h"
#include "explore/tasks/build_plan.h"
#include "explore/tasks/docker_ignore.h"
#include "explore/tasks/upload.h"

namespace sf::explore {

struct CopyPlan {
  UploadPlan upload;
  std::string command;  // owners, modes and archives, once the files are there; may be empty
};

// Files outside of the context are refused; those that the rules ignore are as if they were not
// there.
Result<CopyPlan> plan_copy(const BuildStep& step, const std::string& context,
                           const IgnoreRules& ignored = {});

}  // namespace sf::explore
