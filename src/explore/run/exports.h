// Exports of a run: its tree as one document, and its paths as training data. Pure.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "explore/run/run_plan.h"
#include "explore/search_tree.h"
#include "wire/json.h"

namespace sf::explore {

struct RunSummary {
  bool is_solved = false;
  std::string why;  // the reason why the run ended
  NodeIndex best = kRoot;
  Usage usage;
  microseconds wall{0};
  std::uint64_t bytes = 0;  // size of the session's snapshots
};

// By node index: the differences from the parent, in the format of the API.
using NodeDiffs = std::map<NodeIndex, wire::Json>;

wire::Json tree_document(const RunPlan& plan, const std::string& instruction,
                         const SearchTree& tree, const RunSummary& summary, const NodeDiffs& diffs);

// One line for each leaf: its path and its value.
std::string trajectories(const RunPlan& plan, const std::string& instruction,
                         const SearchTree& tree);
// One line for each path that passed, as a conversation.
std::string conversations(const std::string& instruction, const SearchTree& tree);
// One line for each pair of actions from the same state of which exactly one led to a solution.
std::string preferences(const std::string& instruction, const SearchTree& tree);

}  // namespace sf::explore
