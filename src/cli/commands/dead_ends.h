// Finds the nodes of a session that lead to no branch and no name. Pure.
#pragma once

#include <string>
#include <vector>

#include "wire/json.h"

namespace sf::cli {

// `tree` is the API's tree as JSON. Returns the top node of each subtree without a branch and
// without a named node; never the root.
std::vector<std::string> dead_ends(const wire::Json& tree);

}  // namespace sf::cli
