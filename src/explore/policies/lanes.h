// Lanes: rollouts side by side, each a chain from the root. Pure.
#pragma once

#include <vector>

#include "explore/search_policy.h"

namespace sf::explore {

// The last node of each lane; the root where there is none.
std::vector<NodeIndex> lane_tips(const SearchTree& tree, int lanes);
// Nothing follows the tip of a lane.
bool is_over(const SearchTree& tree, NodeIndex tip, int steps);
// One more step for lanes that are not over and have none under way, the first ones first.
std::vector<Step> advance_lanes(const SearchTree& tree, const std::vector<Step>& under_way,
                                const PolicyOptions& options, std::size_t most);

}  // namespace sf::explore
