// best-of-n: independent rollouts; the one that the agent values most is handed in, and judged.
#pragma once

#include "explore/search_policy.h"

namespace sf::explore {

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

}  // namespace sf::explore
