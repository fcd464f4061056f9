// Agent: proposes actions. A port, implemented by scripts, external programs and models.
// Thread-safe: several branches are expanded concurrently.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "explore/search_tree.h"

namespace sf::explore {

struct Turn {  // one action and its outcome
  Action action;
  Outcome outcome;
  double value = 0;
  std::string reflection;
};

// The input of an agent: the path to a state, and the actions already tried from it.
struct Situation {
  std::string instruction;
  std::vector<Turn> path;      // from the root
  std::vector<Turn> siblings;  // other actions from the same state
  std::size_t ordinal = 0;     // proposals from this state so far, including those under way
  int lane = 0;                // number of the rollout, if the policy has several
};

struct Assessment {
  double value = 0;        // from 0 to 1
  std::string reflection;  // a lesson for its siblings
};

// Each call adds its cost to `usage`, also if it fails.
class Agent {
 public:
  virtual ~Agent() = default;
  // Proposes the next action.
  virtual Result<Action> propose(const Situation& situation, Usage& usage) = 0;
  // Estimates how promising the state after the turn is.
  virtual Result<Assessment> assess(const Situation& before, const Turn& turn, Usage& usage) = 0;
  // Chooses the move to commit. All candidates start from the same state; the value of each is the
  // best one found below it. Requires: `candidates` is not empty.
  virtual Result<std::size_t> choose(const Situation& before, const std::vector<Turn>& candidates,
                                     Usage& usage) = 0;
};

}  // namespace sf::explore
