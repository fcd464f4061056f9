// Agent: whoever proposes actions. A port: a script, another program, a model.
// Thread-safe: several branches are expanded at the same time.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "explore/search_tree.h"

namespace sf::explore {

struct Turn {  // one action, and what came of it
  Action action;
  Outcome outcome;
  double value = 0;
  std::string reflection;
};

// What an agent may know when it is asked: everything on the way to a state, and what was tried
// from there already.
struct Situation {
  std::string instruction;
  std::vector<Turn> path;      // from the root
  std::vector<Turn> siblings;  // other actions from the same state
  std::size_t ordinal = 0;     // how many were proposed from here before, those under way included
  int lane = 0;                // which rollout, where a policy has several
};

struct Assessment {
  double value = 0;        // from 0 to 1
  std::string reflection;  // what its siblings should know
};

// What a call has cost is added to `usage`, also when it fails.
class Agent {
 public:
  virtual ~Agent() = default;
  // What to do next.
  virtual Result<Action> propose(const Situation& situation, Usage& usage) = 0;
  // How promising the state is that the turn led to.
  virtual Result<Assessment> assess(const Situation& before, const Turn& turn, Usage& usage) = 0;
  // Which of these moves, all from the same state, to commit; each with the best that was found
  // below it as its value. Requires: there is at least one.
  virtual Result<std::size_t> choose(const Situation& before, const std::vector<Turn>& candidates,
                                     Usage& usage) = 0;
};

}  // namespace sf::explore
