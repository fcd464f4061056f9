// World: the session that is explored. A port; thread-safe.
#pragma once

#include <string>

#include "base/result.h"
#include "explore/search_tree.h"

namespace sf::explore {

struct Advance {
  Outcome outcome;
  std::string state;  // where it led to
  Usage usage;
};

class World {
 public:
  virtual ~World() = default;
  // Does the action from the state, and keeps what it led to.
  virtual Result<Advance> advance(const std::string& state, const Action& action) = 0;
  // Lets the tests judge the state, in a fork: nothing of it shows in what comes after. `usage` is
  // what it took, also when it failed: making the fork is restoring, the rest is grading.
  virtual Result<Grade> grade(const std::string& state, Usage& usage) = 0;
  // After one of these has failed: fails when all of them would, because the world is gone.
  virtual Status check() = 0;
  // Keeps the agent's mind with the world's state.
  virtual Status remember(const std::string& state, const SearchNode& node) = 0;
};

}  // namespace sf::explore
