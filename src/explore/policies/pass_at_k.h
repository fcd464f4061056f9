// pass@k: independent rollouts from the root, each judged at its end; the first that passes ends
// the search.
#pragma once

#include "explore/search_policy.h"

namespace sf::explore {

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

}  // namespace sf::explore
