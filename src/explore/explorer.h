// Explorer: runs a search with a policy, an agent and a world. It decides under a lock, performs
// steps in threads, and writes each change to the journal before applying it to the tree.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "explore/budget.h"
#include "explore/search_agent.h"
#include "explore/search_policy.h"
#include "explore/search_tree.h"
#include "explore/world.h"

namespace sf::explore {

struct ExploreOptions {
  std::string instruction;
  Budget budget;
  std::size_t jobs = 1;          // concurrent steps
  microseconds spent_before{0};  // by earlier parts of a resumed run
};

struct ExploreSinks {
  // Makes a line of the journal durable. A failure ends the run.
  std::function<Status(const std::string&)> journal;
  // Called under the lock when a step begins and after each change, for progress displays.
  std::function<void(const SearchTree&, const std::vector<Step>& under_way)> progress;
  // Called before each step. If it returns true, steps under way are finished and no more are
  // begun.
  std::function<bool()> stopping;
};

struct Ending {
  NodeIndex best = kRoot;
  std::string why;
  bool is_whole = false;  // the policy finished; false: stopped or out of budget
};

// Extends `tree` in place. Returns an error only if the whole run fails: a single failed step
// becomes a dead end of the tree.
Result<Ending> explore(SearchTree& tree, const SearchPolicy& policy, Agent& agent, World& world,
                       const ExploreOptions& options, const ExploreSinks& sinks);

}  // namespace sf::explore
