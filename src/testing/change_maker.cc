#include "testing/change_maker.h"

#include <algorithm>
#include <set>

namespace sf::test {

using namespace control;  // NOLINT: the file uses little else

namespace {

constexpr std::size_t kLargeContent = 40'000;

PhysicalState physical_of(unsigned number) {
  return {.ref = PhysicalRef("p" + std::to_string(number % 50)),
          .bytes = number % 50 * 1000ULL,
          .memory_bytes = number % 50 * 4096ULL,
          .took = microseconds(number),
          .stopped = microseconds(number / 2)};
}

StartConfig config_of(unsigned number) {
  StartConfig config;
  config.root = "/" + bytes_of(number);
  config.hostname = bytes_of(number + 1);
  config.env = {{"PATH", "/bin"}, {"ODD", bytes_of(number + 2)}};
  config.rows = static_cast<std::uint16_t>(number % 65536);
  config.memory_bytes = number % 3 == 0 ? UINT64_MAX : number;
  config.cpu_percent = number;
  for (unsigned i = 0; i < number % 12; ++i) config.extra_capabilities.push_back(bytes_of(i));
  if (number % 2 == 1) config.extra = {{bytes_of(number + 4), bytes_of(number + 5)}};
  return config;
}

}  // namespace

std::string bytes_of(unsigned number) {
  std::string bytes;
  std::uint64_t state = number * 0x9e3779b97f4a7c15ULL + 1;
  for (unsigned i = 0; i < number % 37; ++i) {
    state ^= state >> 12U;
    state ^= state << 25U;
    state ^= state >> 27U;
    bytes += static_cast<char>(state & 0xffU);
  }
  return bytes;
}

LogEntry entry_of(unsigned number) {
  LogEntry entry;
  entry.kind = static_cast<EntryKind>(number % 5);
  entry.text = bytes_of(number);
  entry.content = number % 16 == 0 ? std::string(kLargeContent, '\xfe') : bytes_of(number + 1);
  entry.timeout = milliseconds(number);
  entry.max_output = number % 5 == 0 ? SIZE_MAX : number;
  entry.exit_code = static_cast<int>(number) - 3;
  entry.output_hash = hash_text(entry.text);
  entry.output_bytes = number * 1'000'000'007ULL;
  entry.output_excerpt = bytes_of(number + 2);
  entry.duration = microseconds(number * 10);
  entry.timed_out = (number & 1U) != 0;
  entry.shell_restarted = (number & 2U) != 0;
  entry.left_background = (number & 4U) != 0;
  entry.diverged_before = (number & 8U) != 0;
  entry.outcome_unknown = (number & 16U) != 0;
  entry.content_dropped = (number & 32U) != 0;
  return entry;
}

NodeId ChangeMaker::pick_node(unsigned number) const {
  std::vector<NodeId> nodes = tree_.preorder();
  return nodes[number % nodes.size()];
}

const Branch& ChangeMaker::pick_branch(unsigned number) const {
  auto it = tree_.branches().begin();
  std::advance(it, number % tree_.branches().size());
  return it->second;
}

std::vector<Edit> ChangeMaker::build(const ChangeSeed& seed) {
  counters_ = {.next_node = 1};
  SessionRecord record{.id = id_,
                       .name = "name-" + std::to_string(seed.detail),
                       .backend = "fake",
                       .policy = "smart",
                       .config = config_of(seed.detail),
                       .created = WallTime(microseconds(seed.detail)),
                       .labels = {{"owner", bytes_of(seed.detail + 3)}},
                       .terms = {.ttl = seconds(seed.detail),
                                 .idle = seconds(seed.node),
                                 .max_bytes = seed.detail,
                                 .max_branches = seed.node}};
  Node root{.id = NodeId("n0"), .origin = BranchId("main"), .physical = physical_of(seed.detail)};
  return {edit::PutSession{record}, edit::AddNode{root},
          edit::AddBranch{{.id = BranchId("main"),
                           .node = root.id,
                           .pending = {entry_of(seed.detail)},
                           .handle = BranchHandle("h0")}}};
}

std::vector<Edit> ChangeMaker::snapshot(const ChangeSeed& seed) {
  const Branch& branch = pick_branch(seed.branch);
  Node node{.id = NodeId("n" + std::to_string(counters_.next_node)),
            .parent = branch.node,
            .origin = branch.id,
            .unchanged = seed.detail % 3 == 0,
            .log = branch.pending,
            .created = WallTime(microseconds(seed.detail))};
  if (seed.detail % 4 == 0) node.name = "at-" + node.id.value();
  if (seed.detail % 2 == 0) node.physical = physical_of(seed.detail);
  if (seed.detail % 5 == 0) node.notes = {{bytes_of(seed.detail), bytes_of(seed.detail + 1)}};
  counters_.next_node += 1;
  std::vector<Edit> edits = {edit::AddNode{node},
                             edit::MoveBranch{branch.id, node.id, branch.handle}};
  if (node.physical)
    edits.emplace_back(edit::CostMeasured{node.physical->memory_bytes, node.physical->took});
  return edits;
}

std::vector<Edit> ChangeMaker::cleanup(const ChangeSeed& seed) {
  NodeId top = pick_node(seed.node);
  if (top == tree_.root()) return {edit::NameNode{top, "the-root"}};
  std::vector<NodeId> nodes = tree_.subtree(top);
  std::set<NodeId> going(nodes.begin(), nodes.end());
  std::vector<Edit> edits;
  std::size_t left = tree_.branches().size();
  for (const auto& [id, branch] : tree_.branches()) {
    if (!going.contains(branch.node)) continue;
    // The last branch is moved out of the way instead, so that there is always one.
    if (--left > 0) {
      edits.emplace_back(edit::RemoveBranch{id});
    } else {
      edits.emplace_back(edit::MoveBranch{id, tree_.root(), BranchHandle("saved")});
    }
  }
  edits.emplace_back(edit::RemoveNodes{std::move(nodes)});
  return edits;
}

std::vector<Edit> ChangeMaker::edits_for(const ChangeSeed& seed) {
  const Branch& branch = pick_branch(seed.branch);
  const NodeId node = pick_node(seed.node);
  const CommandLog& log = tree_.find(node)->log;
  switch (seed.kind % kKinds) {
    case 0:
    case 1:
    case 2:
      return snapshot(seed);
    case 3:
    case 4:
      if (branch.pending.empty()) break;
      return {edit::FinishEntry{branch.id, seed.node % branch.pending.size(),
                                entry_of(seed.detail + 7)}};
    case 5:
      if (branch.pending.empty()) break;
      return {edit::CancelEntry{branch.id, seed.node % branch.pending.size()}};
    case 6:
      return {edit::MoveBranch{branch.id, node, BranchHandle("h" + std::to_string(seed.detail))}};
    case 7: {
      BranchId id("b" + std::to_string(counters_.next_branch++));
      return {edit::AddBranch{{.id = id,
                               .node = node,
                               .handle = BranchHandle("h" + id.value()),
                               .alive = seed.detail % 2 == 0,
                               .created = WallTime(microseconds(seed.detail))}}};
    }
    case 8:
      if (tree_.branches().size() < 2) break;
      return {edit::RemoveBranch{branch.id}};
    case 9:
      return {edit::LoseBranch{branch.id}};
    case 10:
      return {edit::NameNode{node, seed.detail % 3 == 0 ? "" : "is-" + node.value()}};
    case 11:
      return {edit::SetNote{node, bytes_of(seed.detail % 4), bytes_of(seed.detail)}};
    case 12:
      return {edit::SetNote{node, bytes_of(seed.detail % 4), std::nullopt}};
    case 13:
      if (seed.detail % 2 == 0) return {edit::SetPhysical{node, physical_of(seed.detail)}};
      return {edit::SetPhysical{node, std::nullopt}};
    case 14:
      if (log.empty()) break;
      return {edit::MarkDiverged{node, seed.detail % log.size()}};
    case 15:
      return {edit::CommandDiverged{hash_text(bytes_of(seed.detail))}};
    case 16:
      return {edit::CostMeasured{seed.detail, microseconds(seed.node)}};
    case 17:
      return cleanup(seed);
    case 18: {
      SessionRecord record = tree_.session();
      record.name = "renamed-" + std::to_string(seed.detail);
      record.labels[bytes_of(seed.detail)] = bytes_of(seed.node);
      return {edit::PutSession{record}};
    }
    case 19:
      if (seed.detail % 4 != 0) break;  // rarely
      return {edit::EndSession{}};
    default:
      break;
  }
  return {edit::BeginEntry{branch.id, entry_of(seed.detail)}};
}

Change ChangeMaker::next(const ChangeSeed& seed) {
  std::vector<Edit> edits = built_ ? edits_for(seed) : build(seed);
  if (!built_) tree_ = BranchTree();
  Change change{.session = id_,
                .operation = "change-" + std::to_string(seed.kind % kKinds),
                .at = WallTime(microseconds(seed.detail)),
                .took = microseconds(seed.node),
                .counters = counters_,
                .edits = std::move(edits)};
  SF_CHECK(tree_.apply(change).ok());
  tree_.take_unneeded();
  for (const Edit& edit : change.edits) {
    if (const auto* cost = std::get_if<edit::CostMeasured>(&edit))
      costs_.push_back({cost->memory_bytes, cost->took});
  }
  built_ = !tree_.ended();
  return change;
}

}  // namespace sf::test
