// SearchPolicy: decides the next steps from the tree alone. Pure and stateless, so that a killed
// run can be resumed (docs/decisions/0009-exploration.md).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "explore/search_tree.h"

namespace sf::explore {

struct Expand {  // try one more action from a node
  NodeIndex parent = kRoot;
  int lane = 0;
  friend bool operator==(const Expand&, const Expand&) = default;
};
struct Judge {  // run the tests on the state
  NodeIndex node = kRoot;
  friend bool operator==(const Judge&, const Judge&) = default;
};
struct Commit {  // let the agent choose one of these for the main line
  std::vector<NodeIndex> among;
  friend bool operator==(const Commit&, const Commit&) = default;
};
using Step = std::variant<Expand, Judge, Commit>;

struct Decision {
  // At most `most` steps. Empty while steps are under way: wait for them. Empty while none are: the
  // search is over.
  std::vector<Step> steps;
  std::string why;  // shown to users when the search is over
};

class SearchPolicy {
 public:
  virtual ~SearchPolicy() = default;
  virtual std::string_view name() const = 0;
  // `under_way`: steps that were returned before and are not finished. Requires: `most` > 0.
  virtual Decision next(const SearchTree& tree, const std::vector<Step>& under_way,
                        std::size_t most) const = 0;
  // The best node so far, to be handed in if the search ended now.
  virtual NodeIndex best(const SearchTree& tree) const = 0;
};

struct PolicyOptions {
  int attempts = 20;         // pass@k, best-of-n: how many rollouts
  int steps = 30;            // per rollout; mcts: on the main line
  int width = 3;             // mcts, beam: alternatives from one state
  int depth = 2;             // mcts: depth of each small tree
  int beam = 2;              // beam: states kept per level
  double exploration = 1.0;  // mcts: weight of rarely visited nodes
};

// kInvalidArgument: unknown name; the hint lists the names.
Result<std::unique_ptr<SearchPolicy>> make_policy(const std::string& name,
                                                  const PolicyOptions& options);

// How many of the steps under way expand this node.
std::size_t expansions_of(const std::vector<Step>& under_way, NodeIndex node);
bool is_judged_now(const std::vector<Step>& under_way, NodeIndex node);

}  // namespace sf::explore
