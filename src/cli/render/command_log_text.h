// Formats a session's command log, from the API's JSON. Pure.
#pragma once

#include <string>

#include "wire/json.h"

namespace sf::cli {

// The entries that led to the branch's state: the logs of its nodes, the oldest first, then the
// pending entries. Each entry gets a `node` (null: pending) and that node's snapshot time as
// `snapshot_at`. Requires: the branch is in the tree.
wire::Json branch_log(const wire::Json& tree, const std::string& branch);

// A table of exit status, duration and command, and of the node if the entries have one.
std::string command_log_text(const wire::Json& entries);

}  // namespace sf::cli
