// SearchTree: the tried actions and their outcomes. Pure data with invariants: ids are positions,
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

struct Usage {  // costs
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
  std::string command;   // empty: no command
  std::string thought;   // the agent's reasoning
  bool is_last = false;  // the agent considers the task done after it
  friend bool operator==(const Action&, const Action&) = default;
};

struct Outcome {
  std::string output;  // as the agent sees it: a long output lacks its middle
  int exit_code = 0;
  bool timed_out = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Grade {
  double score = 0;  // from 0 to 1
  std::string log;
  bool passed() const { return score >= 1; }
  friend bool operator==(const Grade&, const Grade&) = default;
};

struct SearchNode {
  std::optional<NodeIndex> parent;  // nullopt: the root
  std::string state;                // the session's node; empty: not restorable
  Action action;
  Outcome outcome;
  double value = 0;        // how promising, from 0 to 1
  std::string reflection;  // a lesson for its siblings
  std::optional<Grade> grade;
  bool is_committed = false;  // on the main line
  int lane = 0;               // number of the rollout, if the policy has several
  std::string failure;        // why the node is a dead end: error of world or agent
  microseconds began{0};      // since the run began, without pauses between its parts
  microseconds took{0};
  Usage usage;
};

class SearchTree {
 public:
  // Creates a tree that has only the root.
  explicit SearchTree(std::string root_state);

  // Requires: the node's parent exists.
  NodeIndex add(SearchNode node);
  void set_grade(NodeIndex index, Grade grade, const Usage& usage);
  // Requires: the node's parent is committed and none of its siblings is.
  void commit(NodeIndex index);
  void spend(NodeIndex index, const Usage& usage) { nodes_[index].usage += usage; }

  const SearchNode& at(NodeIndex index) const { return nodes_[index]; }
  const std::vector<SearchNode>& nodes() const { return nodes_; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<NodeIndex>& children(NodeIndex index) const { return children_[index]; }
  int depth(NodeIndex index) const;
  // The nodes from the root's child down to this node.
  std::vector<NodeIndex> path(NodeIndex index) const;
  bool is_below(NodeIndex index, NodeIndex ancestor) const;
  // The last node of the main line.
  NodeIndex committed() const;
  // True if the agent is done at this node or the node failed.
  bool is_end(NodeIndex index) const;
  std::optional<NodeIndex> first_passed() const;
  Usage total() const;

 private:
  std::vector<SearchNode> nodes_;
  std::vector<std::vector<NodeIndex>> children_;
};

}  // namespace sf::explore
