// The policies of a search, each in a file of its own. Pure.
#pragma once

#include <memory>

#include "explore/search_policy.h"

namespace sf::explore {

// Independent rollouts from the root, each judged at its end. Ends the search when a rollout
// passes.
std::unique_ptr<SearchPolicy> make_pass_at_k(const PolicyOptions& options);
// Independent rollouts. Only the one with the highest value is handed in and judged.
std::unique_ptr<SearchPolicy> make_best_of_n(const PolicyOptions& options);
// Level by level: from each level, the states with the highest values are expanded.
std::unique_ptr<SearchPolicy> make_beam(const PolicyOptions& options);
// Reflective Monte Carlo tree search. At each step of the main line, UCT grows a small tree of
// alternatives below it, then the agent chooses the move to commit.
std::unique_ptr<SearchPolicy> make_mcts(const PolicyOptions& options);

// The UCT score of a child: its mean value, plus a bonus that shrinks with its visits.
double uct(double mean, std::size_t visits, std::size_t parent_visits, double exploration);

}  // namespace sf::explore
