#include "testing/session_model.h"

#include <array>
#include <iterator>
#include <utility>

namespace sf::test {

using namespace control;  // NOLINT: the file uses little else

namespace {

constexpr std::array kCommands = {"set a 1",  "set b 2",    "append a x", "append b y", "get a",
                                  "nop",      "spawn web",  "kill web",   "slow 30",    "fail",
                                  "random r", "append c z", "set a 1",    "timeout"};
constexpr std::array kKindNames = {"exec",       "snapshot",       "restore",    "fork",
                                   "cleanup",    "forced cleanup", "end branch", "keys",
                                   "write file", "note",           "restart"};

// Applies a command to a machine. `output` is what the real machine printed.
void run(FakeMachine& machine, const std::string& command, const std::string& output) {
  auto& v = machine.variables;
  if (command == "set a 1") v["a"] = "1";
  if (command == "set b 2") v["b"] = "2";
  if (command == "append a x") v["a"] += "x";
  if (command == "append b y") v["b"] += "y";
  if (command == "append c z") v["c"] += "z";
  if (command == "spawn web") machine.processes.insert("web");
  if (command == "kill web") machine.processes.erase("web");
  if (command == "random r") v["r"] = output.substr(0, output.find('\n'));
}

std::string differs(const std::string& what, const std::string& is, const std::string& shall) {
  return is == shall ? "" : what + " is\n" + is + "and should be\n" + shall;
}

std::string unexpected(const std::string& what, const Error& error) {
  return what + " failed: " + error.describe();
}

}  // namespace

std::string ModelOp::describe() const {
  std::string text = kKindNames.at(kind);
  if (kind == kExec) text += std::string(" '") + kCommands.at(detail % kCommands.size()) + "'";
  return text + " branch#" + std::to_string(branch) + " node#" + std::to_string(node) + " (" +
         std::to_string(detail) + ")";
}

SessionModel::SessionModel(SessionFixture& world) : world_(world) {
  nodes_[NodeId("n0")] = {};
  branches_["main"] = {.node = NodeId("n0")};
}

std::string SessionModel::step(const ModelOp& op) {
  const std::string branch = branches_.empty() ? "" : pick_branch(op.branch);
  const NodeId node = pick_node(op.node);
  std::string wrong;
  if (op.kind == ModelOp::kFork || branch.empty()) {
    wrong = fork(node, op.detail);
  } else if (op.kind == ModelOp::kExec) {
    wrong = exec(branch, op.detail);
  } else if (op.kind == ModelOp::kSnapshot) {
    wrong = snapshot(branch, op.detail);
  } else if (op.kind == ModelOp::kRestore) {
    wrong = restore(branch, node);
  } else if (op.kind == ModelOp::kCleanup) {
    wrong = cleanup(node, Force::kNo);
  } else if (op.kind == ModelOp::kForcedCleanup) {
    wrong = cleanup(node, Force::kYes);
  } else if (op.kind == ModelOp::kEndBranch) {
    wrong = end_branch(branch);
  } else if (op.kind == ModelOp::kRestart) {
    wrong = restart();
  } else {
    wrong = change_in_place(branch, op);
  }
  // After the fuse has cut the world off, every call fails; recover_from() does the check instead.
  if (wrong.empty() && !world_.fuse.is_cut()) wrong = check_branches();
  return wrong.empty() ? wrong : "after " + op.describe() + ": " + wrong;
}

std::string SessionModel::exec(const std::string& branch, unsigned detail) {
  const std::string command = kCommands.at(detail % kCommands.size());
  BranchModel& model = branches_.at(branch);
  FakeMachine changed = model.machine;
  Result<Observation> seen = world_.run(branch, command);
  if (command == "random r") model.repeatable = false;
  if (!seen.ok()) {
    if (!was_injected(seen.error())) return unexpected("exec", seen.error());
    // The model cannot know the effect of `random` if its output was lost: copy it from the real
    // machine.
    if (command == "random r") {
      std::optional<FakeMachine> real = world_.machine(branch);
      if (real && real->variables.contains("r")) changed.variables["r"] = real->variables["r"];
    }
    run(changed, command == "random r" ? "nop" : command, "");
    return adopt(branch, changed);
  }
  run(model.machine, command, seen->output);
  return "";
}

std::string SessionModel::change_in_place(const std::string& branch, const ModelOp& op) {
  const BranchId id(branch);
  FakeMachine changed = branches_.at(branch).machine;
  Status done = Ok{};
  if (op.kind == ModelOp::kKeys) {
    auto typed = world_.session().send_keys(id, "k");
    if (!typed.ok()) done = std::move(typed).error();
    changed.variables["keys"] += "k";
  } else if (op.kind == ModelOp::kWriteFile) {
    std::string content(op.detail % 2 == 0 ? 1 : kMaxKeptContent + 1, 'f');
    done = world_.session().write_file(id, "/file", content);
    changed.variables["/file"] = content;
  } else {
    done = world_.session().set_note(id, "HEAD", "key", std::to_string(op.detail));
  }
  if (!done.ok() && !was_injected(done.error())) return unexpected("change", done.error());
  if (!done.ok()) return adopt(branch, changed);
  branches_.at(branch).machine = changed;
  return "";
}

std::string SessionModel::snapshot(const std::string& branch, unsigned detail) {
  SnapshotRequest request;
  if (detail % 7 == 1) request.wanted = Materialization::kVirtual;
  if (detail % 7 == 2) request.wanted = Materialization::kPhysical;
  BranchModel& model = branches_.at(branch);
  Result<SnapshotReport> report = world_.session().snapshot(BranchId(branch), request);
  if (!report.ok()) {
    // kUnsupported: the state can be neither captured nor replayed, or not in the requested way.
    if (was_injected(report.error()) || report.error().code == ErrorCode::kUnsupported) return "";
    return unexpected("snapshot", report.error());
  }
  if (nodes_.contains(report->node)) return "id " + report->node.value() + " was used twice";
  nodes_[report->node] = {model.machine, model.node, model.repeatable};
  model.node = report->node;
  return "";
}

std::string SessionModel::restore(const std::string& branch, const NodeId& node) {
  const NodeModel& target = nodes_.at(node);
  Result<RestoreReport> report = world_.session().restore(BranchId(branch), node.value());
  if (!report.ok()) {
    if (was_injected(report.error())) return "";
    if (report.error().code == ErrorCode::kDiverged && !target.repeatable) return "";
    return unexpected("restore of " + node.value(), report.error());
  }
  branches_[branch] = {target.machine, node, target.repeatable};
  return "";
}

std::string SessionModel::fork(const NodeId& node, unsigned detail) {
  const NodeModel& target = nodes_.at(node);
  const std::size_t count = 1 + detail % 3;
  Result<ForkReport> report =
      world_.session().fork(BranchId("main"), node.value(), {.count = count});
  if (!report.ok()) {
    if (was_injected(report.error()) || report.error().code == ErrorCode::kNoSpace) return "";
    return unexpected("fork of " + node.value(), report.error());
  }
  if (report->branches.size() != count) return "a fork has too few entries";
  for (const Result<BranchId>& branch : report->branches) {
    if (branch.ok()) {
      branches_[branch->value()] = {target.machine, node, target.repeatable};
    } else if (!was_injected(branch.error()) &&
               (branch.error().code != ErrorCode::kDiverged || target.repeatable)) {
      return unexpected("one fork of " + node.value(), branch.error());
    }
  }
  return "";
}

std::string SessionModel::cleanup(const NodeId& node, Force force) {
  Result<CleanupReport> report = world_.session().cleanup(BranchId("main"), node.value(), force);
  if (node == NodeId("n0")) return report.ok() ? "the root was removed" : "";
  std::set<NodeId> going = subtree(node);
  bool busy = false;
  for (const auto& [name, branch] : branches_) busy = busy || going.contains(branch.node);
  if (!report.ok()) {
    if (was_injected(report.error())) return "";
    if (report.error().code == ErrorCode::kBusy && busy && force == Force::kNo) return "";
    return unexpected("cleanup", report.error());
  }
  if (busy && force == Force::kNo) return "a cleanup removed a node that a branch is at";
  if (std::set<NodeId>(report->nodes.begin(), report->nodes.end()) != going)
    return "a cleanup removed other nodes than the subtree";
  forget(node);
  return "";
}

std::string SessionModel::end_branch(const std::string& branch) {
  Result<CleanupReport> report = world_.session().end_branch(BranchId(branch));
  if (!report.ok())
    return was_injected(report.error()) ? "" : unexpected("end_branch", report.error());
  branches_.erase(branch);
  return "";
}

std::string SessionModel::restart() {
  if (world_.fuse.has_blown()) return "";
  Status restarted = world_.restart();
  return restarted.ok() ? "" : unexpected("restart", restarted.error());
}

std::string SessionModel::check_branches() {
  std::size_t known =
      world_.session().read([](const BranchTree& tree) { return tree.branches().size(); });
  if (known != branches_.size()) return "there are " + std::to_string(known) + " branches";
  for (const auto& [name, branch] : branches_) {
    std::string wrong = differs("branch " + name, world_.dump(name), branch.machine.dump());
    if (!wrong.empty()) return wrong;
    NodeId node = world_.session().resolve_ref(BranchId(name), "HEAD").value();
    wrong = differs("HEAD of " + name, node.value() + "\n", branch.node.value() + "\n");
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string SessionModel::check_all() {
  world_.fuse.disarm();
  for (const std::string& left : world_.session().collect_garbage()) return "left over: " + left;
  for (const std::string& broken : world_.broken_rules()) return broken;
  std::size_t size = world_.session().read([](const BranchTree& tree) { return tree.size(); });
  if (size != nodes_.size()) return "there are " + std::to_string(size) + " nodes";
  for (const auto& [id, node] : nodes_) {
    Result<ForkReport> report = world_.session().fork(BranchId("main"), id.value(), {});
    if (!report.ok()) return unexpected("fork of " + id.value(), report.error());
    const Result<BranchId>& branch = report->branches.front();
    if (!branch.ok()) {
      if (branch.error().code == ErrorCode::kDiverged && !node.repeatable) continue;
      return unexpected("fork of " + id.value(), branch.error());
    }
    std::string wrong =
        differs("node " + id.value(), world_.dump(branch->value()), node.machine.dump());
    if (!wrong.empty()) return wrong;
    if (Result<CleanupReport> ended = world_.session().end_branch(*branch); !ended.ok())
      return unexpected("end_branch", ended.error());
  }
  for (const std::string& broken : world_.broken_rules()) return broken;
  return check_branches();
}

std::string SessionModel::recover_from(const ModelOp& op) {
  Status restarted = world_.restart();
  if (!restarted.ok()) return unexpected("restart", restarted.error());
  SessionImage now = world_.session().read([](const BranchTree& tree) { return tree.image(); });
  std::set<NodeId> there;
  for (const Node& node : now.nodes) {
    there.insert(node.id);
    if (nodes_.contains(node.id)) continue;
    if (op.kind != ModelOp::kSnapshot) return "node " + node.id.value() + " was not expected";
    BranchModel& model = branches_.at(node.origin.value());
    nodes_[node.id] = {model.machine, node.parent, model.repeatable};
    model.node = node.id;
  }
  const bool was_removal = op.kind == ModelOp::kCleanup || op.kind == ModelOp::kForcedCleanup;
  for (auto it = nodes_.begin(); it != nodes_.end();) {
    NodeId id = (it++)->first;
    if (there.contains(id)) continue;
    if (!was_removal) return "node " + id.value() + " is lost";
    for (const NodeId& gone : subtree(id)) {
      if (there.contains(gone)) return "half of a subtree is gone";
    }
    forget(id);
    it = nodes_.upper_bound(id);
  }
  std::set<std::string> live;
  for (const Branch& branch : now.branches) {
    live.insert(branch.id.value());
    const NodeModel& stand = nodes_.at(branch.node);
    auto known = branches_.find(branch.id.value());
    // A new branch, or a branch that moved, has the state of its node; check_branches() compares
    // the others.
    if (known == branches_.end() || known->second.node != branch.node ||
        op.kind == ModelOp::kRestore) {
      bool as_before = known != branches_.end() && known->second.node == branch.node &&
                       world_.dump(branch.id.value()) == known->second.machine.dump();
      if (!as_before) branches_[branch.id.value()] = {stand.machine, branch.node, stand.repeatable};
    }
  }
  std::erase_if(branches_, [&](const auto& entry) {
    return op.kind == ModelOp::kEndBranch && !live.contains(entry.first);
  });
  return check_branches();
}

std::string SessionModel::pick_branch(unsigned number) const {
  return std::next(branches_.begin(), static_cast<std::ptrdiff_t>(number % branches_.size()))
      ->first;
}

NodeId SessionModel::pick_node(unsigned number) const {
  return std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(number % nodes_.size()))->first;
}

std::set<NodeId> SessionModel::subtree(const NodeId& node) const {
  std::set<NodeId> found{node};
  for (const auto& [id, model] : nodes_) {  // parents are older than their children
    if (found.contains(model.parent)) found.insert(id);
  }
  return found;
}

void SessionModel::forget(const NodeId& node) {
  std::set<NodeId> going = subtree(node);
  std::erase_if(branches_, [&](const auto& entry) { return going.contains(entry.second.node); });
  std::erase_if(nodes_, [&](const auto& entry) { return going.contains(entry.first); });
}

bool SessionModel::was_injected(const Error& error) const {
  return world_.fuse.has_blown() && error.message.find("injected") != std::string::npos;
}

std::string SessionModel::adopt(const std::string& branch, const FakeMachine& changed) {
  BranchModel& model = branches_.at(branch);
  std::optional<FakeMachine> real = world_.machine(branch);
  if (!real) return "branch " + branch + " is lost";
  if (*real == changed) model.machine = changed;
  return "";  // else unchanged: check_branches() verifies that
}

}  // namespace sf::test
