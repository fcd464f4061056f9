#include "explore/policies/lanes.h"
#include "explore/policies/policies.h"

namespace sf::explore {
namespace {

class BestOfN final : public SearchPolicy {
 public:
  explicit BestOfN(PolicyOptions options) : options_(options) {}
  std::string_view name() const override { return "best-of-n"; }
  Decision next(const SearchTree& tree, const std::vector<Step>& under_way,
                std::size_t most) const override;
  NodeIndex best(const SearchTree& tree) const override;

 private:
  PolicyOptions options_;
};

Decision BestOfN::next(const SearchTree& tree, const std::vector<Step>& under_way,
                       std::size_t most) const {
  std::vector<Step> steps = advance_lanes(tree, under_way, options_, most);
  const std::string over = "the best of " + std::to_string(options_.attempts) + " was handed in";
  if (!steps.empty() || !under_way.empty()) return {std::move(steps), over};
  const NodeIndex chosen = best(tree);
  if (chosen == kRoot || tree.at(chosen).grade) return {{}, over};
  return {{Judge{chosen}}, over};
}

NodeIndex BestOfN::best(const SearchTree& tree) const {
  NodeIndex best = kRoot;
  for (NodeIndex tip : lane_tips(tree, options_.attempts)) {
    if (tip == kRoot || !tree.at(tip).failure.empty()) continue;
    if (best == kRoot || tree.at(tip).value > tree.at(best).value) best = tip;
  }
  return best;
}

}  // namespace

std::unique_ptr<SearchPolicy> make_best_of_n(const PolicyOptions& options) {
  return std::make_unique<BestOfN>(options);
}

}  // namespace sf::explore
