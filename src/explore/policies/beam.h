// beam: level by level; from each level the few states go on that the agent values most.
#pragma once

#include "explore/search_policy.h"

namespace sf::explore {

class Beam final : public SearchPolicy {
 public:
  explicit Beam(PolicyOptions options) : options_(options) {}
  std::string_view name() const override { return "beam"; }
  Decision next(const SearchTree& tree, const std::vector<Step>& under_way,
                std::size_t most) const override;
  NodeIndex best(const SearchTree& tree) const override;

 private:
  // The states that go on from a level, best first.
  std::vector<NodeIndex> chosen(const SearchTree& tree, int level) const;
  PolicyOptions options_;
};

}  // namespace sf::explore
