// Lanes: independent rollouts, each a chain from the root. Pure.
#pragma once

#include <vector>

#include "explore/search_policy.h"

namespace sf::explore {

// The last node of each lane; the root for a lane without nodes.
std::vector<NodeIndex> lane_tips(const SearchTree& tree, int lanes);
// True if the lane cannot be extended behind this tip.
bool is_over(const SearchTree& tree, NodeIndex tip, int steps);
// One more step for each lane that is not over and has no step under way, in the order of the
// lanes.
std::vector<Step> advance_lanes(const SearchTree& tree, const std::vector<Step>& under_way,
                                const PolicyOptions& options, std::size_t most);

}  // namespace sf::explore
