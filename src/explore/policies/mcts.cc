#include <algorithm>
#include <cmath>
#include <optional>

#include "explore/policies/policies.h"

namespace sf::explore {
namespace {

class Mcts final : public SearchPolicy {
 public:
  explicit Mcts(PolicyOptions options) : options_(options) {}
  std::string_view name() const override { return "mcts"; }
  Decision next(const SearchTree& tree, const std::vector<Step>& under_way,
                std::size_t most) const override;
  NodeIndex best(const SearchTree& tree) const override;

 private:
  struct View;  // the tree and the steps under way
  // The node to expand next; nullopt if the search below the main line is complete.
  std::optional<NodeIndex> select(const View& view, NodeIndex node, int level) const;
  PolicyOptions options_;
};

struct Mcts::View {
  const SearchTree& tree;
  std::vector<Step> under_way;

  std::size_t planned(NodeIndex node) const {
    return tree.children(node).size() + expansions_of(under_way, node);
  }
  // Steps under way count as visits without a value, so that other threads choose other nodes.
  std::size_t visits(NodeIndex node) const {
    std::size_t count = 1 + expansions_of(under_way, node);
    for (NodeIndex child : tree.children(node)) count += visits(child);
    return count;
  }
  double sum(NodeIndex node) const {
    double sum = tree.at(node).failure.empty() ? tree.at(node).value : 0;
    for (NodeIndex child : tree.children(node)) sum += this->sum(child);
    return sum;
  }
};

std::optional<NodeIndex> Mcts::select(const View& view, NodeIndex node, int level) const {
  if (level >= options_.depth || (level > 0 && view.tree.is_end(node))) return std::nullopt;
  if (view.planned(node) < static_cast<std::size_t>(options_.width)) return node;
  std::vector<NodeIndex> children = view.tree.children(node);
  const std::size_t visits = view.visits(node);
  std::ranges::stable_sort(children, std::greater<>(), [&](NodeIndex child) {
    const std::size_t here = view.visits(child);
    return uct(view.sum(child) / static_cast<double>(here), here, visits, options_.exploration);
  });
  for (NodeIndex child : children) {
    if (auto found = select(view, child, level + 1)) return found;
  }
  return std::nullopt;
}

Decision Mcts::next(const SearchTree& tree, const std::vector<Step>& under_way,
                    std::size_t most) const {
  const NodeIndex main = tree.committed();
  const bool is_over = (main != kRoot && tree.is_end(main)) || tree.depth(main) >= options_.steps;
  if (is_over) {
    if (tree.at(main).grade || !tree.at(main).failure.empty() || !under_way.empty())
      return {{}, "the main line is at its end"};
    return {{Judge{main}}, {}};
  }
  View view{tree, under_way};
  const auto wanted =
      static_cast<std::size_t>(options_.width) * static_cast<std::size_t>(options_.depth);
  std::size_t grown = view.visits(main) - 1;
  Decision decision;
  while (decision.steps.size() < most && grown < wanted) {
    auto where = select(view, main, 0);
    if (!where) break;
    view.under_way.emplace_back(Expand{*where, 0});
    decision.steps.emplace_back(Expand{*where, 0});
    ++grown;
  }
  if (!decision.steps.empty() || !under_way.empty()) return decision;
  Commit move;
  for (NodeIndex child : tree.children(main)) {
    if (tree.at(child).failure.empty()) move.among.push_back(child);
  }
  if (move.among.empty()) return {{}, "every move from the main line failed"};
  return {{std::move(move)}, {}};
}

// The end of the main line. Until it is an end, the best node below it that the agent considers
// done.
NodeIndex Mcts::best(const SearchTree& tree) const {
  const NodeIndex main = tree.committed();
  NodeIndex best = main;
  for (NodeIndex index = main + 1; index < tree.size(); ++index) {
    const SearchNode& node = tree.at(index);
    if (!node.action.is_last || !node.failure.empty() || !tree.is_below(index, main)) continue;
    if (best == main || node.value > tree.at(best).value) best = index;
  }
  return best;
}

}  // namespace

double uct(double mean, std::size_t visits, std::size_t parent_visits, double exploration) {
  return mean +
         exploration *
             std::sqrt(std::log(static_cast<double>(std::max<std::size_t>(parent_visits, 1))) /
                       static_cast<double>(std::max<std::size_t>(visits, 1)));
}

std::unique_ptr<SearchPolicy> make_mcts(const PolicyOptions& options) {
  return std::make_unique<Mcts>(options);
}

}  // namespace sf::explore
