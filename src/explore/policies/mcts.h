// mcts: reflective Monte Carlo tree search. At each step of the main line a small tree of
// alternatives is grown below it, guided by UCT; then the agent chooses the move to commit.
#pragma once

#include <optional>

#include "explore/search_policy.h"

namespace sf::explore {

class Mcts final : public SearchPolicy {
 public:
  explicit Mcts(PolicyOptions options) : options_(options) {}
  std::string_view name() const override { return "mcts"; }
  Decision next(const SearchTree& tree, const std::vector<Step>& under_way,
                std::size_t most) const override;
  NodeIndex best(const SearchTree& tree) const override { return tree.committed(); }

 private:
  struct View;  // the tree with what is under way
  // Where the next alternative is tried; nothing when the small tree is full.
  std::optional<NodeIndex> select(const View& view, NodeIndex node, int level) const;
  PolicyOptions options_;
};

// How worth a visit a child is: the mean value below it, and more the less it was visited.
double uct(double mean, std::size_t visits, std::size_t parent_visits, double exploration);

}  // namespace sf::explore
