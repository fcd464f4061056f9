#include "control/branch_tree.h"

#include <algorithm>
#include <utility>

#include "base/existing_names.h"

namespace sf::control {
namespace {

Error no_node(const NodeId& id) {
  return fail(ErrorCode::kNotFound, "no such node: " + id.value(), "`tree` lists the nodes");
}

// "n17" -> 17; 0 for anything else.
std::uint64_t number_of(const NodeId& id) {
  std::uint64_t number = 0;
  for (char c : std::string_view(id.value()).substr(id.empty() ? 0 : 1)) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

}  // namespace

Error no_branch(const BranchTree& tree, const BranchId& id) {
  std::vector<std::string> names;
  for (const auto& [name, branch] : tree.branches()) names.push_back(name.value());
  return fail(ErrorCode::kNotFound, "no such branch: " + id.value(),
              existing_names("branches", names));
}

Result<BranchTree> BranchTree::from_image(SessionImage image) {
  BranchTree tree;
  auto put = [&tree](const Edit& edit) -> Status {
    Status applied = tree.apply(edit);
    if (applied.ok()) return applied;
    return fail(ErrorCode::kCorrupt, "session " + tree.session_.id.value() +
                                         " has inconsistent records: " + applied.error().message);
  };
  SF_TRY(put(edit::PutSession{std::move(image.session)}));
  for (Node& node : image.nodes) SF_TRY(put(edit::AddNode{std::move(node)}));
  for (Branch& branch : image.branches) SF_TRY(put(edit::AddBranch{std::move(branch)}));
  for (std::uint64_t hash : image.diverged_commands) SF_TRY(put(edit::CommandDiverged{hash}));
  if (tree.root_.empty()) return fail(ErrorCode::kCorrupt, "session without a root node");
  // AddNode moved the counters past the ids of existing nodes. Ids of removed nodes count too.
  tree.counters_.next_node = std::max(tree.counters_.next_node, image.counters.next_node);
  tree.counters_.next_branch = std::max(tree.counters_.next_branch, image.counters.next_branch);
  return tree;
}

SessionImage BranchTree::image() const {
  SessionImage image{.session = session_, .counters = counters_};
  image.nodes.reserve(nodes_.size());
  for (const NodeId& id : preorder()) image.nodes.push_back(nodes_.at(id).node);
  for (const auto& [id, branch] : branches_) image.branches.push_back(branch);
  image.diverged_commands.assign(diverged_order_.begin(), diverged_order_.end());
  return image;
}

Status BranchTree::apply(const Edit& edit) {
  return std::visit([this](const auto& e) { return on(e); }, edit);
}

Status BranchTree::apply(const Change& change) {
  for (const Edit& edit : change.edits) SF_TRY(apply(edit));
  counters_ = change.counters;
  return Ok{};
}

// Queries -----------------------------------------------------------------------------------------

const Node* BranchTree::find(const NodeId& id) const {
  const Location* found = location(id);
  return found == nullptr ? nullptr : &found->node;
}

const Node* BranchTree::find_named(std::string_view name) const {
  auto it = names_.find(std::string(name));
  return it == names_.end() ? nullptr : find(it->second);
}

const BranchTree::Children& BranchTree::children(const NodeId& id) const {
  const Location* found = location(id);
  SF_CHECK(found != nullptr);
  return found->children;
}

const Branch* BranchTree::find_branch(const BranchId& id) const {
  auto it = branches_.find(id);
  return it == branches_.end() ? nullptr : &it->second;
}

std::size_t BranchTree::standing_on(const NodeId& id) const {
  const Location* found = location(id);
  return found == nullptr ? 0 : found->standing;
}

const BranchTree::ReplayDistance& BranchTree::replay_distance(const NodeId& id) const {
  const Location* found = location(id);
  SF_CHECK(found != nullptr);
  return found->distance;
}

std::vector<NodeId> BranchTree::subtree(const NodeId& id) const {
  SF_CHECK(location(id) != nullptr);
  std::vector<NodeId> found{id};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Children& below = children(found[i]);
    found.insert(found.end(), below.begin(), below.end());
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<NodeId> BranchTree::preorder() const {
  std::vector<NodeId> order;
  std::vector<NodeId> to_visit;
  if (!root_.empty()) to_visit.push_back(root_);
  while (!to_visit.empty()) {
    NodeId id = std::move(to_visit.back());
    to_visit.pop_back();
    const Children& below = children(id);
    to_visit.insert(to_visit.end(), below.rbegin(), below.rend());
    order.push_back(std::move(id));
  }
  return order;
}

std::size_t BranchTree::uses_of(const PhysicalRef& ref) const {
  auto it = refs_.find(ref);
  return it == refs_.end() ? 0 : it->second.nodes;
}

std::vector<PhysicalRef> BranchTree::take_unneeded() { return std::exchange(unneeded_, {}); }

bool BranchTree::has_diverged(std::string_view command) const {
  return !diverged_.empty() && diverged_.contains(hash_text(command));
}

bool BranchTree::has_diverged(const CommandLog& log) const {
  if (diverged_.empty()) return false;
  const std::vector<std::uint64_t> hashes = command_hashes(log);
  for (std::size_t begin = 0; begin < hashes.size(); ++begin) {
    const std::size_t end = std::min(hashes.size(), begin + kLongestRun);
    std::uint64_t run = 0;
    for (std::size_t i = begin; i < end; ++i) {
      run = extend_run(run, hashes[i]);
      if (diverged_.contains(run)) return true;
    }
  }
  return false;
}

// Nodes -------------------------------------------------------------------------------------------

Status BranchTree::on(const edit::AddNode& e) {
  const Node& node = e.node;
  if (node.id.empty() || location(node.id) != nullptr)
    return invalid("node " + node.id.value() + " already exists");
  if (node.is_root() && !root_.empty()) return invalid("a second root: " + node.id.value());
  Location* parent = node.is_root() ? nullptr : location(node.parent);
  if (!node.is_root() && parent == nullptr) return no_node(node.parent);
  if (!node.name.empty()) {
    SF_TRY(check_name(node.name, "node name"));
    if (names_.contains(node.name)) return invalid("node name '" + node.name + "' is taken");
    names_.emplace(node.name, node.id);
  }
  Location added{.node = node, .distance = distance_of(node)};
  nodes_.emplace(node.id, std::move(added));
  if (parent == nullptr) {
    root_ = node.id;
  } else {
    location(node.parent)->children.insert(node.id);  // looked up again: the map may have grown
  }
  use(node.physical);
  counters_.next_node = std::max(counters_.next_node, number_of(node.id) + 1);
  return Ok{};
}

Status BranchTree::check_removal(const std::vector<NodeId>& nodes) const {
  std::unordered_set<NodeId> going;
  for (const NodeId& id : nodes) {
    const Location* found = location(id);
    if (found == nullptr) return no_node(id);
    if (found->standing > 0) return invalid("a branch is at node " + id.value());
    for (const NodeId& child : found->children) {
      if (!going.contains(child))
        return invalid("node " + id.value() + " still has the child " + child.value());
    }
    going.insert(id);
  }
  return Ok{};
}

Status BranchTree::on(const edit::RemoveNodes& e) {
  SF_TRY(check_removal(e.nodes));
  for (const NodeId& id : e.nodes) {
    auto it = nodes_.find(id);
    const Node& node = it->second.node;
    if (!node.name.empty()) names_.erase(node.name);
    if (node.is_root()) {
      root_ = NodeId();
    } else {
      location(node.parent)->children.erase(id);
    }
    release(node.physical);
    nodes_.erase(it);
  }
  return Ok{};
}

Status BranchTree::on(const edit::NameNode& e) {
  Location* found = location(e.node);
  if (found == nullptr) return no_node(e.node);
  if (!e.name.empty()) {
    SF_TRY(check_name(e.name, "node name"));
    auto taken = names_.find(e.name);
    if (taken != names_.end() && taken->second != e.node)
      return invalid("node name '" + e.name + "' is taken by " + taken->second.value());
  }
  if (!found->node.name.empty()) names_.erase(found->node.name);
  found->node.name = e.name;
  if (!e.name.empty()) names_.emplace(e.name, e.node);
  return Ok{};
}

Status BranchTree::on(const edit::SetNote& e) {
  Location* found = location(e.node);
  if (found == nullptr) return no_node(e.node);
  if (e.value.has_value()) {
    found->node.notes[e.key] = *e.value;
  } else {
    found->node.notes.erase(e.key);
  }
  return Ok{};
}

Status BranchTree::on(const edit::SetPhysical& e) {
  Location* found = location(e.node);
  if (found == nullptr) return no_node(e.node);
  use(e.physical);  // first, because the old and the new reference may be equal
  release(std::exchange(found->node.physical, e.physical));
  found->distance = distance_of(found->node);
  update_distances_below(e.node);
  return Ok{};
}

Status BranchTree::on(const edit::MarkDiverged& e) {
  Location* found = location(e.node);
  if (found == nullptr) return no_node(e.node);
  if (e.index >= found->node.log.size())
    return invalid("node " + e.node.value() + " has no entry " + std::to_string(e.index));
  found->node.log[e.index].diverged_before = true;
  return Ok{};
}

BranchTree::ReplayDistance BranchTree::distance_of(const Node& node) const {
  if (node.is_physical()) return {};
  ReplayDistance distance = node.is_root() ? ReplayDistance{} : replay_distance(node.parent);
  distance.nodes += 1;
  distance.cost += total_duration(node.log);
  distance.commands += node.log.size();
  return distance;
}

void BranchTree::update_distances_below(const NodeId& id) {
  std::vector<NodeId> to_visit{id};
  while (!to_visit.empty()) {
    NodeId above = std::move(to_visit.back());
    to_visit.pop_back();
    for (const NodeId& child : children(above)) {
      Location* below = location(child);
      if (below->node.is_physical()) continue;  // the nodes below it do not change either
      below->distance = distance_of(below->node);
      to_visit.push_back(child);
    }
  }
}

void BranchTree::use(const std::optional<PhysicalState>& physical) {
  if (!physical) return;
  RefUse& use = refs_[physical->ref];
  if (use.nodes++ == 0) {
    use.bytes = physical->bytes;
    physical_bytes_ += use.bytes;
  }
}

void BranchTree::release(const std::optional<PhysicalState>& physical) {
  if (!physical) return;
  auto it = refs_.find(physical->ref);
  SF_CHECK(it != refs_.end() && it->second.nodes > 0);
  if (--it->second.nodes > 0) return;
  physical_bytes_ -= it->second.bytes;
  refs_.erase(it);
  unneeded_.push_back(physical->ref);
}

// Branches ----------------------------------------------------------------------------------------

Status BranchTree::on(const edit::AddBranch& e) {
  const BranchId& id = e.branch.id;
  SF_TRY(check_name(id.value(), "branch name"));
  if (branches_.contains(id)) return invalid("branch " + id.value() + " already exists");
  Location* stand = location(e.branch.node);
  if (stand == nullptr) return no_node(e.branch.node);
  branches_.emplace(id, e.branch);
  stand->standing += 1;
  return Ok{};
}

Status BranchTree::on(const edit::RemoveBranch& e) {
  SF_TRY_ASSIGN(Branch * found, branch(e.branch));
  location(found->node)->standing -= 1;
  branches_.erase(e.branch);
  return Ok{};
}

Status BranchTree::on(const edit::MoveBranch& e) {
  SF_TRY_ASSIGN(Branch * found, branch(e.branch));
  Location* to = location(e.node);
  if (to == nullptr) return no_node(e.node);
  location(found->node)->standing -= 1;
  to->standing += 1;
  found->node = e.node;
  found->handle = e.handle;
  found->pending.clear();
  found->alive = true;
  return Ok{};
}

Status BranchTree::on(const edit::LoseBranch& e) {
  SF_TRY_ASSIGN(Branch * found, branch(e.branch));
  found->alive = false;
  return Ok{};
}

Status BranchTree::on(const edit::BeginEntry& e) {
  SF_TRY_ASSIGN(Branch * found, branch(e.branch));
  found->pending.push_back(e.entry);
  return Ok{};
}

Status BranchTree::on(const edit::FinishEntry& e) {
  SF_TRY_ASSIGN(LogEntry * entry, pending_entry(e.branch, e.index));
  *entry = e.entry;
  return Ok{};
}

Status BranchTree::on(const edit::CancelEntry& e) {
  SF_TRY(pending_entry(e.branch, e.index));
  CommandLog& pending = branches_.at(e.branch).pending;
  pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(e.index));
  return Ok{};
}

// The session -------------------------------------------------------------------------------------

Status BranchTree::on(const edit::PutSession& e) {
  if (!session_.id.empty() && session_.id != e.session.id)
    return invalid("session " + e.session.id.value() + " is not " + session_.id.value());
  session_ = e.session;
  return Ok{};
}

Status BranchTree::on(const edit::EndSession& /*e*/) {
  for (const auto& [ref, use] : refs_) unneeded_.push_back(ref);
  refs_.clear();
  physical_bytes_ = 0;
  branches_.clear();
  nodes_.clear();
  names_.clear();
  root_ = NodeId();
  ended_ = true;
  return Ok{};
}

Status BranchTree::on(const edit::CostMeasured& /*e*/) { return Ok{}; }  // for the policies only

Status BranchTree::on(const edit::CommandDiverged& e) {
  if (!diverged_.insert(e.command_hash).second) return Ok{};
  diverged_order_.push_back(e.command_hash);
  if (diverged_order_.size() > kMaxDivergedCommands) {
    diverged_.erase(diverged_order_.front());
    diverged_order_.pop_front();
  }
  return Ok{};
}

BranchTree::Location* BranchTree::location(const NodeId& id) {
  auto it = nodes_.find(id);
  return it == nodes_.end() ? nullptr : &it->second;
}

const BranchTree::Location* BranchTree::location(const NodeId& id) const {
  auto it = nodes_.find(id);
  return it == nodes_.end() ? nullptr : &it->second;
}

Result<Branch*> BranchTree::branch(const BranchId& id) {
  auto it = branches_.find(id);
  if (it == branches_.end()) return no_branch(*this, id);
  return &it->second;
}

Result<LogEntry*> BranchTree::pending_entry(const BranchId& id, std::size_t index) {
  SF_TRY_ASSIGN(Branch * found, branch(id));
  if (index >= found->pending.size())
    return invalid("branch " + id.value() + " has no pending entry " + std::to_string(index));
  return &found->pending[index];
}

}  // namespace sf::control
