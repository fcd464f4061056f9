#include "explore/policies/lanes.h"

#include <algorithm>

namespace sf::explore {

std::vector<NodeIndex> lane_tips(const SearchTree& tree, int lanes) {
  std::vector<NodeIndex> tips(static_cast<std::size_t>(lanes), kRoot);
  for (NodeIndex index = 1; index < tree.size(); ++index) {
    const int lane = tree.at(index).lane;
    // Parents come before their children, so the last node of a lane is its tip.
    if (lane >= 0 && lane < lanes) tips[static_cast<std::size_t>(lane)] = index;
  }
  return tips;
}

bool is_over(const SearchTree& tree, NodeIndex tip, int steps) {
  return tree.is_end(tip) || tree.depth(tip) >= steps;
}

std::vector<Step> advance_lanes(const SearchTree& tree, const std::vector<Step>& under_way,
                                const PolicyOptions& options, std::size_t most) {
  std::vector<Step> steps;
  const std::vector<NodeIndex> tips = lane_tips(tree, options.attempts);
  for (int lane = 0; lane < options.attempts && steps.size() < most; ++lane) {
    const NodeIndex tip = tips[static_cast<std::size_t>(lane)];
    if (is_over(tree, tip, options.steps)) continue;
    const bool is_moving = std::ranges::any_of(under_way, [&](const Step& step) {
      const auto* expand = std::get_if<Expand>(&step);
      return expand != nullptr && expand->lane == lane;
    });
    if (!is_moving) steps.emplace_back(Expand{tip, lane});
  }
  return steps;
}

}  // namespace sf::explore
