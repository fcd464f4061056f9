// Budget: what a run may spend. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "explore/search_tree.h"

namespace sf::explore {

struct Budget {  // nothing: no limit
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> model_calls;
  std::optional<std::uint64_t> tokens;  // in and out
  std::optional<double> money;          // in dollars
  std::optional<seconds> time;
};

// What is used up, in words ("40 of 40 nodes"); empty: go on. `began_nodes`: expansions under way,
// each of which will be a node.
std::string used_up(const Budget& budget, const SearchTree& tree, std::size_t began_nodes);
// The same for time. `elapsed`: of all parts of a run that was resumed.
std::string out_of_time(const Budget& budget, microseconds elapsed);

}  // namespace sf::explore
