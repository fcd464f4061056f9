// Explorer: joins policy, agent and world. Decides under a lock, works in threads, and writes every
// change to the journal before it counts.
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
  std::size_t jobs = 1;          // steps at the same time
  microseconds spent_before{0};  // by the parts of this run before it was resumed
};

struct ExploreSinks {
  // Makes a line of the journal durable. A failure ends the run.
  std::function<Status(const std::string&)> journal;
  // Called under the lock when a step begins and after each change, for whoever shows it.
  std::function<void(const SearchTree&, const std::vector<Step>& under_way)> progress;
  // Asked before each step; true: what is under way is finished, and no more is begun.
  std::function<bool()> stopping;
};

struct Ending {
  NodeIndex best = kRoot;
  std::string why;
  bool is_whole = false;  // the policy itself came to its end
};

// The tree grows in place. An error is one of the run: what a single step could not do is a dead
// end of the tree.
Result<Ending> explore(SearchTree& tree, const SearchPolicy& policy, Agent& agent, World& world,
                       const ExploreOptions& options, const ExploreSinks& sinks);

}  // namespace sf::explore
