// What was done in a session, as people read it; from the JSON of the API. Pure.
#pragma once

#include <string>

#include "wire/json.h"

namespace sf::cli {

// All that led to where the branch is: the logs of its nodes, the oldest first, and what is
// pending. Each entry gets a `node` (null: pending) and, when it has one, the time of that node's
// snapshot as `snapshot_at`. Requires: the branch is in the tree.
wire::Json branch_log(const wire::Json& tree, const std::string& branch);

// A table: exit status, duration, command, and the node when the entries have one.
std::string command_log_text(const wire::Json& entries);

}  // namespace sf::cli
