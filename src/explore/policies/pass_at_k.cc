#include <utility>

#include "explore/policies/lanes.h"
#include "explore/policies/policies.h"

namespace sf::explore {
namespace {

class PassAtK final : public SearchPolicy {
 public:
  explicit PassAtK(PolicyOptions options) : options_(options) {}
  std::string_view name() const override { return "pass@k"; }
  Decision next(const SearchTree& tree, const std::vector<Step>& under_way,
                std::size_t most) const override;
  NodeIndex best(const SearchTree& tree) const override;

 private:
  PolicyOptions options_;
};

Decision PassAtK::next(const SearchTree& tree, const std::vector<Step>& under_way,
                       std::size_t most) const {
  if (tree.first_passed()) return {{}, "one attempt passed"};
  std::vector<Step> steps;
  for (NodeIndex tip : lane_tips(tree, options_.attempts)) {
    const SearchNode& node = tree.at(tip);
    const bool is_due = tip != kRoot && is_over(tree, tip, options_.steps) && !node.grade &&
                        node.failure.empty() && !is_judged_now(under_way, tip);
    if (is_due && steps.size() < most) steps.emplace_back(Judge{tip});
  }
  for (Step& step : advance_lanes(tree, under_way, options_, most)) {
    if (steps.size() < most) steps.push_back(std::move(step));
  }
  return {std::move(steps), "all " + std::to_string(options_.attempts) + " attempts are over"};
}

// Graded attempts rank by their score. An ungraded attempt may still pass, so it ranks above those
// graded 0.
NodeIndex PassAtK::best(const SearchTree& tree) const {
  if (auto passed = tree.first_passed()) return *passed;
  auto rank = [&](NodeIndex index) {
    const SearchNode& node = tree.at(index);
    if (index == kRoot || !node.failure.empty()) return std::pair(-1.0, 0.0);
    return node.grade ? std::pair(node.grade->score, -1.0) : std::pair(0.0, node.value);
  };
  NodeIndex best = kRoot;
  for (NodeIndex tip : lane_tips(tree, options_.attempts)) {
    if (rank(tip) > rank(best)) best = tip;
  }
  return best;
}

}  // namespace

std::unique_ptr<SearchPolicy> make_pass_at_k(const PolicyOptions& options) {
  return std::make_unique<PassAtK>(options);
}

}  // namespace sf::explore
