#include "explore/search_tree.h"

#include <algorithm>

#include "base/check.h"

namespace sf::explore {

Usage& Usage::operator+=(const Usage& other) {
  model_calls += other.model_calls;
  tokens_in += other.tokens_in;
  tokens_out += other.tokens_out;
  money += other.money;
  model_time += other.model_time;
  command_time += other.command_time;
  snapshot_time += other.snapshot_time;
  restore_time += other.restore_time;
  grade_time += other.grade_time;
  return *this;
}

SearchTree::SearchTree(std::string root_state) {
  SearchNode root;
  root.state = std::move(root_state);
  root.is_committed = true;
  nodes_.push_back(std::move(root));
  children_.emplace_back();
}

NodeIndex SearchTree::add(SearchNode node) {
  SF_CHECK(node.parent && *node.parent < nodes_.size());
  const NodeIndex index = nodes_.size();
  children_[*node.parent].push_back(index);
  children_.emplace_back();
  nodes_.push_back(std::move(node));
  return index;
}

void SearchTree::set_grade(NodeIndex index, Grade grade, const Usage& usage) {
  nodes_[index].grade = std::move(grade);
  nodes_[index].usage += usage;
}

void SearchTree::commit(NodeIndex index) {
  SearchNode& node = nodes_[index];
  SF_CHECK(node.parent && *node.parent == committed());
  node.is_committed = true;
}

int SearchTree::depth(NodeIndex index) const {
  int depth = 0;
  for (auto at = nodes_[index].parent; at; at = nodes_[*at].parent) ++depth;
  return depth;
}

std::vector<NodeIndex> SearchTree::path(NodeIndex index) const {
  std::vector<NodeIndex> path;
  for (NodeIndex at = index; nodes_[at].parent; at = *nodes_[at].parent) path.push_back(at);
  std::ranges::reverse(path);
  return path;
}

bool SearchTree::is_below(NodeIndex index, NodeIndex ancestor) const {
  for (std::optional<NodeIndex> at = index; at; at = nodes_[*at].parent) {
    if (*at == ancestor) return true;
  }
  return false;
}

NodeIndex SearchTree::committed() const {
  NodeIndex at = kRoot;
  for (;;) {
    auto next = std::ranges::find_if(children_[at],
                                     [&](NodeIndex child) { return nodes_[child].is_committed; });
    if (next == children_[at].end()) return at;
    at = *next;
  }
}

bool SearchTree::is_end(NodeIndex index) const {
  const SearchNode& node = nodes_[index];
  return node.action.is_last || !node.failure.empty();
}

std::optional<NodeIndex> SearchTree::first_passed() const {
  for (NodeIndex index = 0; index < nodes_.size(); ++index) {
    if (nodes_[index].grade && nodes_[index].grade->passed()) return index;
  }
  return std::nullopt;
}

Usage SearchTree::total() const {
  Usage total;
  for (const SearchNode& node : nodes_) total += node.usage;
  return total;
}

}  // namespace sf::explore
