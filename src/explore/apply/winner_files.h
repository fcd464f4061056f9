// Reads the files that a search has changed from forks of the two states and from the host, and
// applies them to the host.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/session_client.h"
#include "explore/apply/apply_plan.h"

namespace sf::explore {

struct ApplyRequest {
  std::string run;     // prefix of the branches that are read
  std::string before;  // the node at which the task began
  std::string wanted;
  std::string source;  // a directory of the session
  std::string target;  // the directory of the host to change
  std::vector<std::string> patterns;
};

// Changes nothing. Directories are not listed; they are created for their files.
Result<std::vector<ApplyStep>> plan_apply(const client::SessionClient& session,
                                          const ApplyRequest& request);
// Carries out all writes and removals. Conflicts are carried out only if `force` is set.
Status apply_steps(const std::vector<ApplyStep>& steps, const std::string& target, bool force);

}  // namespace sf::explore
