// The files that a search has changed, as they were and as they are, read from forks of the two
// states and from the host.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/session_client.h"
#include "explore/apply/apply_plan.h"

namespace sf::explore {

struct ApplyRequest {
  std::string run;     // names the branches that are read from
  std::string before;  // the node that the task began with
  std::string wanted;
  std::string source;  // a directory of the session
  std::string target;  // the directory of the host that it is to become like
  std::vector<std::string> patterns;
};

// Nothing is changed. Directories are not listed: they come with their files.
Result<std::vector<ApplyStep>> plan_apply(const client::SessionClient& session,
                                          const ApplyRequest& request);
// All that are to be written or removed; conflicts only when forced.
Status apply_steps(const std::vector<ApplyStep>& steps, const std::string& target, bool force);

}  // namespace sf::explore
