// SearchPolicy: what to do next, decided from the tree alone. Pure and without state, so that a run
// that was killed goes on as if nothing had happened (docs/decisions/0009-exploration.md).
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
struct Judge {  // let the tests say whether it is solved
  NodeIndex node = kRoot;
  friend bool operator==(const Judge&, const Judge&) = default;
};
struct Commit {  // the agent chooses one of these for the main line
  std::vector<NodeIndex> among;
  friend bool operator==(const Commit&, const Commit&) = default;
};
using Step = std::variant<Expand, Judge, Commit>;

struct Decision {
  // At most as many as were asked for. None while others are under way: wait for them. None while
  // nothing is: the search is over.
  std::vector<Step> steps;
  std::string why;  // for people, at the end
};

class SearchPolicy {
 public:
  virtual ~SearchPolicy() = default;
  virtual std::string_view name() const = 0;
  // `under_way`: steps that were decided and have not come back. Requires: `most` > 0.
  virtual Decision next(const SearchTree& tree, const std::vector<Step>& under_way,
                        std::size_t most) const = 0;
  // What it would hand in now: the best it has.
  virtual NodeIndex best(const SearchTree& tree) const = 0;
};

struct PolicyOptions {
  int attempts = 20;         // pass@k, best-of-n: how many rollouts
  int steps = 30;            // in each of them; mcts: on the main line
  int width = 3;             // mcts, beam: alternatives from one state
  int depth = 2;             // mcts: how far each search looks
  int beam = 2;              // beam: how many states go on
  double exploration = 1.0;  // mcts: weight of what was tried little
};

// kInvalidArgument: no such name; the hint lists them.
Result<std::unique_ptr<SearchPolicy>> make_policy(const std::string& name,
                                                  const PolicyOptions& options);

// How many of the steps under way expand this node.
std::size_t expansions_of(const std::vector<Step>& under_way, NodeIndex node);
bool is_judged_now(const std::vector<Step>& under_way, NodeIndex node);

}  // namespace sf::explore
