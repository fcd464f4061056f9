// SearchTree: what was tried, and what came of it. Pure data with invariants: ids are positions,
// parents come before their children, node 0 is the root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace sf::explore {

using NodeIndex = std::size_t;
inline constexpr NodeIndex kRoot = 0;

struct Usage {  // what something has cost
  std::uint64_t model_calls = 0;
  std::uint64_t tokens_in = 0;
  std::uint64_t tokens_out = 0;
  double money = 0;  // in dollars
  microseconds model_time{0};
  microseconds command_time{0};
  microseconds snapshot_time{0};
  microseconds restore_time{0};
  microseconds grade_time{0};
  Usage& operator+=(const Usage& other);
  friend bool operator==(const Usage&, const Usage&) = default;
};

struct Action {
  std::string command;   // empty: nothing is run
  std::string thought;   // why, in the agent's words
  bool is_last = false;  // the agent holds that the task is done after it
  friend bool operator==(const Action&, const Action&) = default;
};

struct Outcome {
  std::string output;  // as the agent sees it: with the middle left out, if long
  int exit_code = 0;
  bool timed_out = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Grade {
  double score = 0;  // of 1
  std::string log;
  bool passed() const { return score >= 1; }
  friend bool operator==(const Grade&, const Grade&) = default;
};

struct SearchNode {
  std::optional<NodeIndex> parent;  // nothing: the root
  std::string state;                // the session's node; empty: there is none to go back to
  Action action;
  Outcome outcome;
  double value = 0;        // how promising, from 0 to 1
  std::string reflection;  // what its siblings should know
  std::optional<Grade> grade;
  bool is_committed = false;  // on the main line
  int lane = 0;               // which rollout it belongs to, where a policy has several
  std::string failure;        // why it is a dead end: the world or the agent failed
  microseconds began{0};      // since the run did, whole pauses left out
  microseconds took{0};
  Usage usage;
};

class SearchTree {
 public:
  // With the root alone.
  explicit SearchTree(std::string root_state);

  // Requires: the parent is there.
  NodeIndex add(SearchNode node);
  void set_grade(NodeIndex index, Grade grade, const Usage& usage);
  // Requires: its parent is committed, and none of its siblings.
  void commit(NodeIndex index);
  void spend(NodeIndex index, const Usage& usage) { nodes_[index].usage += usage; }

  const SearchNode& at(NodeIndex index) const { return nodes_[index]; }
  const std::vector<SearchNode>& nodes() const { return nodes_; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<NodeIndex>& children(NodeIndex index) const { return children_[index]; }
  int depth(NodeIndex index) const;
  // From the root's child down to the node.
  std::vector<NodeIndex> path(NodeIndex index) const;
  bool is_below(NodeIndex index, NodeIndex ancestor) const;
  // The last node of the main line.
  NodeIndex committed() const;
  // The agent is done, or nothing can follow.
  bool is_end(NodeIndex index) const;
  std::optional<NodeIndex> first_passed() const;
  Usage total() const;

 private:
  std::vector<SearchNode> nodes_;
  std::vector<std::vector<NodeIndex>> children_;
};

}  // namespace sf::explore
