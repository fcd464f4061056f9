#include "explore/budget.h"

#include <fmt/format.h>

namespace sf::explore {

std::string used_up(const Budget& budget, const SearchTree& tree, std::size_t began_nodes) {
  const Usage total = tree.total();
  const std::size_t nodes = tree.size() - 1 + began_nodes;  // the root is not an expansion
  const std::uint64_t tokens = total.tokens_in + total.tokens_out;
  if (budget.nodes && nodes >= *budget.nodes)
    return fmt::format("{} of {} nodes", nodes, *budget.nodes);
  if (budget.model_calls && total.model_calls >= *budget.model_calls)
    return fmt::format("{} of {} model calls", total.model_calls, *budget.model_calls);
  if (budget.tokens && tokens >= *budget.tokens)
    return fmt::format("{} of {} tokens", tokens, *budget.tokens);
  if (budget.money && total.money >= *budget.money)
    return fmt::format("{:.2f} of {:.2f} dollars", total.money, *budget.money);
  return {};
}

std::string out_of_time(const Budget& budget, microseconds elapsed) {
  if (!budget.time || elapsed < *budget.time) return {};
  return fmt::format("{} of {} seconds", elapsed.count() / 1'000'000, budget.time->count());
}

}  // namespace sf::explore
