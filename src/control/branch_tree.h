// BranchTree: the nodes and branches of one session, kept consistent. Pure data: only the edits
// that a catalog records change it, so memory and disk cannot disagree.
//
// A query or an edit costs O(log n), or is proportional to the number of returned or removed nodes.
// Making a node physical visits the virtual nodes below it. Not thread-safe.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "control/catalog.h"
#include "control/session_records.h"

namespace sf::control {

class BranchTree;

// kNotFound; the hint lists the branches that exist.
Error no_branch(const BranchTree& tree, const BranchId& id);

class BranchTree {
 public:
  using Children = std::set<NodeId, OlderFirst>;
  static constexpr std::size_t kMaxDivergedCommands = 1024;
  static constexpr std::size_t kLongestRun = 256;  // commands that has_diverged() compares

  // kCorrupt if the records contradict each other; the message says where.
  static Result<BranchTree> from_image(SessionImage image);
  SessionImage image() const;

  // Fails, and changes nothing, if the edit contradicts the tree.
  Status apply(const Edit& edit);
  Status apply(const Change& change);  // applies the edits in order, then the counters

  const SessionRecord& session() const { return session_; }
  const Counters& counters() const { return counters_; }
  NodeId next_node_id() const { return NodeId("n" + std::to_string(counters_.next_node)); }
  bool ended() const { return ended_; }

  const NodeId& root() const { return root_; }
  std::size_t size() const { return nodes_.size(); }
  const Node* find(const NodeId& id) const;
  const Node* find_named(std::string_view name) const;
  const Children& children(const NodeId& id) const;  // Requires: the node is in the tree.
  const Branch* find_branch(const BranchId& id) const;
  const std::map<BranchId, Branch>& branches() const { return branches_; }
  // How many branches are at this node.
  std::size_t standing_on(const NodeId& id) const;

  // The replay that restores the node from its nearest physical ancestor (or from the session's
  // start). Zero for a physical node. Requires: the node is in the tree.
  struct ReplayDistance {
    microseconds cost{0};
    std::size_t commands = 0;
    std::size_t nodes = 0;  // virtual nodes to replay, this one included
  };
  const ReplayDistance& replay_distance(const NodeId& id) const;

  // The node and all nodes below it, children before their parents. Requires: the node is in the
  // tree.
  std::vector<NodeId> subtree(const NodeId& id) const;
  // All nodes, parents before their children, the older child first.
  std::vector<NodeId> preorder() const;

  // How many nodes use a physical snapshot.
  std::size_t uses_of(const PhysicalRef& ref) const;
  std::size_t physical_count() const { return refs_.size(); }
  std::uint64_t physical_bytes() const { return physical_bytes_; }
  // References that have lost their last node since the previous call.
  std::vector<PhysicalRef> take_unneeded();

  // Whether a replay of a command with this text ever diverged.
  bool has_diverged(std::string_view command) const;
  // Whether the log contains a sequence of commands that led to another state when it was replayed.
  // It is unknown which of these commands caused the difference.
  bool has_diverged(const CommandLog& log) const;

 private:
  struct Location {  // a node and the data derived from other nodes
    Node node;
    Children children;
    std::size_t standing = 0;
    ReplayDistance distance;
  };
  struct RefUse {
    std::size_t nodes = 0;
    std::uint64_t bytes = 0;
  };

  Status on(const edit::PutSession& e);
  Status on(const edit::EndSession& e);
  Status on(const edit::AddNode& e);
  Status on(const edit::RemoveNodes& e);
  Status on(const edit::NameNode& e);
  Status on(const edit::SetNote& e);
  Status on(const edit::SetPhysical& e);
  Status on(const edit::MarkDiverged& e);
  Status on(const edit::AddBranch& e);
  Status on(const edit::RemoveBranch& e);
  Status on(const edit::MoveBranch& e);
  Status on(const edit::LoseBranch& e);
  Status on(const edit::BeginEntry& e);
  Status on(const edit::FinishEntry& e);
  Status on(const edit::CancelEntry& e);
  Status on(const edit::CostMeasured& e);
  Status on(const edit::CommandDiverged& e);

  Location* location(const NodeId& id);
  const Location* location(const NodeId& id) const;
  Result<Branch*> branch(const BranchId& id);
  Result<LogEntry*> pending_entry(const BranchId& id, std::size_t index);
  Status check_removal(const std::vector<NodeId>& nodes) const;
  ReplayDistance distance_of(const Node& node) const;
  void update_distances_below(const NodeId& id);
  void use(const std::optional<PhysicalState>& physical);
  void release(const std::optional<PhysicalState>& physical);

  SessionRecord session_;
  Counters counters_;
  bool ended_ = false;
  NodeId root_;
  std::unordered_map<NodeId, Location> nodes_;
  std::unordered_map<std::string, NodeId> names_;
  std::map<BranchId, Branch> branches_;
  std::unordered_map<PhysicalRef, RefUse> refs_;
  std::uint64_t physical_bytes_ = 0;
  std::vector<PhysicalRef> unneeded_;
  std::deque<std::uint64_t> diverged_order_;
  std::unordered_set<std::uint64_t> diverged_;
};

}  // namespace sf::control
