// Default judgements of an agent that has none of its own: a state's value depends on whether its
// last command succeeded. Pure.
#pragma once

#include <algorithm>
#include <vector>

#include "explore/search_agent.h"

namespace sf::explore {

inline double plain_value(const Outcome& outcome) {
  constexpr double kWorked = 0.5;
  constexpr double kFailed = 0.1;
  return outcome.exit_code == 0 && !outcome.timed_out ? kWorked : kFailed;
}

// Requires: `candidates` is not empty.
inline std::size_t highest_value(const std::vector<Turn>& candidates) {
  auto best = std::ranges::max_element(candidates, {}, &Turn::value);
  return static_cast<std::size_t>(best - candidates.begin());
}

}  // namespace sf::explore
