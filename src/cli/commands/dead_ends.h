// Which nodes of a session nobody is on the way to. Pure.
#pragma once

#include <string>
#include <vector>

#include "wire/json.h"

namespace sf::cli {

// From the JSON of the API's tree: the top nodes of all subtrees in which no branch stands and no
// node has a name. The root is never among them.
std::vector<std::string> dead_ends(const wire::Json& tree);

}  // namespace sf::cli
