// Budget: the limits of a run. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "explore/search_tree.h"

namespace sf::explore {

struct Budget {  // nullopt: no limit
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> model_calls;
  std::optional<std::uint64_t> tokens;  // input and output
  std::optional<double> money;          // in dollars
  std::optional<seconds> time;
};

// Names the limit that is used up ("40 of 40 nodes"); empty if none is. `began_nodes`: expansions
// under way, each of which becomes a node.
std::string used_up(const Budget& budget, const SearchTree& tree, std::size_t began_nodes);
// The same for the time limit. `elapsed`: summed over all parts of a resumed run.
std::string out_of_time(const Budget& budget, microseconds elapsed);

}  // namespace sf::explore
