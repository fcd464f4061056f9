// BranchFacts as a keeper and the agent send them.
#pragma once

#include "base/live_facts.h"
#include "base/result.h"
#include "wire/json.h"

namespace sf::waypoint {

wire::Json to_json(const BranchFacts& facts);
Result<BranchFacts> branch_facts_from_json(const wire::Json& json);

}  // namespace sf::waypoint
