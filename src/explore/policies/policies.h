// The policies there are, each in a file of its own. Pure.
#pragma once

#include <memory>

#include "explore/search_policy.h"

namespace sf::explore {

// Independent rollouts from the root, each judged at its end; the first that passes ends the
// search.
std::unique_ptr<SearchPolicy> make_pass_at_k(const PolicyOptions& options);
// Independent rollouts; the one that the agent values most is handed in, and judged.
std::unique_ptr<SearchPolicy> make_best_of_n(const PolicyOptions& options);
// Level by level; from each level the few states go on that the agent values most.
std::unique_ptr<SearchPolicy> make_beam(const PolicyOptions& options);
// Reflective Monte Carlo tree search: at each step of the main line a small tree of alternatives is
// grown below it, guided by UCT; then the agent chooses the move to commit.
std::unique_ptr<SearchPolicy> make_mcts(const PolicyOptions& options);

// How worth a visit a child is: the mean value below it, and more the less it was visited.
double uct(double mean, std::size_t visits, std::size_t parent_visits, double exploration);

}  // namespace sf::explore
