#include <algorithm>

#include "explore/policies/policies.h"

namespace sf::explore {
namespace {

class Beam final : public SearchPolicy {
 public:
  explicit Beam(PolicyOptions options) : options_(options) {}
  std::string_view name() const override { return "beam"; }
  Decision next(const SearchTree& tree, const std::vector<Step>& under_way,
                std::size_t most) const override;
  NodeIndex best(const SearchTree& tree) const override;

 private:
  // The states of a level that are expanded, best first.
  std::vector<NodeIndex> chosen(const SearchTree& tree, int level) const;
  PolicyOptions options_;
};

std::vector<NodeIndex> Beam::chosen(const SearchTree& tree, int level) const {
  std::vector<NodeIndex> nodes;
  for (NodeIndex index = 0; index < tree.size(); ++index) {
    if (tree.depth(index) == level && tree.at(index).failure.empty()) nodes.push_back(index);
  }
  std::ranges::stable_sort(nodes, std::greater<>(),
                           [&](NodeIndex index) { return tree.at(index).value; });
  if (nodes.size() > static_cast<std::size_t>(options_.beam))
    nodes.resize(static_cast<std::size_t>(options_.beam));
  return nodes;
}

Decision Beam::next(const SearchTree& tree, const std::vector<Step>& under_way,
                    std::size_t most) const {
  if (tree.first_passed()) return {{}, "a state passed"};
  std::vector<Step> steps;
  for (int level = 0; level <= options_.steps; ++level) {
    bool is_open = false;  // the next level is incomplete
    for (NodeIndex node : chosen(tree, level)) {
      const bool is_over = tree.is_end(node) || level == options_.steps;
      if (is_over && node != kRoot && !tree.at(node).grade) {
        is_open = true;
        if (!is_judged_now(under_way, node)) steps.emplace_back(Judge{node});
      }
      if (is_over) continue;
      const std::size_t made = tree.children(node).size();
      std::size_t planned = made + expansions_of(under_way, node);
      if (made < static_cast<std::size_t>(options_.width)) is_open = true;
      for (; planned < static_cast<std::size_t>(options_.width); ++planned)
        steps.emplace_back(Expand{node, 0});
    }
    if (is_open) break;
  }
  if (steps.size() > most) steps.resize(most);
  return {std::move(steps), "no state is left to expand"};
}

NodeIndex Beam::best(const SearchTree& tree) const {
  if (auto passed = tree.first_passed()) return *passed;
  NodeIndex best = kRoot;
  for (NodeIndex index = 1; index < tree.size(); ++index) {
    const SearchNode& node = tree.at(index);
    if (node.failure.empty() && (best == kRoot || node.value >= tree.at(best).value)) best = index;
  }
  return best;
}

}  // namespace

std::unique_ptr<SearchPolicy> make_beam(const PolicyOptions& options) {
  return std::make_unique<Beam>(options);
}

}  // namespace sf::explore
