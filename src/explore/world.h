// World: the session being explored. A port; thread-safe.
#pragma once

#include <string>

#include "base/result.h"
#include "explore/search_tree.h"

namespace sf::explore {

struct Advance {
  Outcome outcome;
  std::string state;  // the resulting state
  Usage usage;
};

class World {
 public:
  virtual ~World() = default;
  // Performs the action in the given state and keeps the resulting state.
  virtual Result<Advance> advance(const std::string& state, const Action& action) = 0;
  // Runs the tests on the state, in a fork, so that they do not affect later steps. Adds the cost
  // to `usage`, also if it fails: making the fork counts as restoring, the rest as grading.
  virtual Result<Grade> grade(const std::string& state, Usage& usage) = 0;
  // Call after a failure. Fails if every further call would fail, because the world is lost.
  virtual Status check() = 0;
  // Stores the agent's view of the node with the world's state.
  virtual Status remember(const std::string& state, const SearchNode& node) = 0;
};

}  // namespace sf::explore
