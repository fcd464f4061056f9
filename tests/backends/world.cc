#include "world.h"

#include <set>

#include "control/policy_names.h"
#include "control/recovery.h"

namespace sf::test {

using namespace control;  // NOLINT: this file is about nothing else

namespace {

const SessionId kSession{"s1"};

}  // namespace

World::World(backends::Tools tools) : tools_(std::move(tools)) {
  leaks_.add_mark(dir_.path());
  registry_ = std::make_unique<backends::BackendRegistry>(
      waypoint::WaypointOptions{.store_dir = dir_ / "store"}, tools_);
}

World::~World() {
  end_all();
  session_.reset();
  backend_.reset();
  if (registry_->waypoint()) registry_->waypoint()->end_all();
  registry_.reset();
  leaks_.verify(Deadline::after(seconds(20)));
}

// Requires: an open backend. Closing a store does not end the sandboxes of other tools, so the test
// ends them.
void World::end_all() {
  if (!backend_) return;
  auto inventory = backend_->inventory();
  EXPECT_OK(inventory);
  if (!inventory) return;
  for (const BranchHandle& branch : inventory->live) EXPECT_OK(backend_->end(branch));
  for (const PhysicalRef& ref : inventory->physical) EXPECT_OK(backend_->remove(ref));
  auto left = backend_->inventory();
  EXPECT_TRUE(left && left->live.empty() && left->physical.empty());
}

void World::reopen_with(waypoint::FileLayerKind file_layers) {
  registry_.reset();
  registry_ = std::make_unique<backends::BackendRegistry>(
      waypoint::WaypointOptions{.store_dir = dir_ / "plain-store", .file_layers = file_layers});
}

SessionPorts World::ports() {
  return {*backend_, catalog_, *policy_, [] { return WallTime(microseconds(1'000'000)); }};
}

void World::build(const std::string& backend, const std::string& policy, StartConfig config) {
  backend_name_ = backend;
  policy_name_ = policy;
  ASSERT_OK_AND_ASSIGN(backend_, registry_->make(backend));
  ASSERT_OK_AND_ASSIGN(policy_, make_policy(policy, CostModel(backend_->expected_cost())));
  ASSERT_OK_AND_ASSIGN(session_, SessionManager::build_session(
                                     ports(), {.id = kSession, .config = std::move(config)}));
}

void World::restart() {
  session_.reset();
  backend_.reset();
  registry_.reset();
  registry_ = std::make_unique<backends::BackendRegistry>(
      waypoint::WaypointOptions{.store_dir = dir_ / "store"}, tools_);
  ASSERT_OK_AND_ASSIGN(backend_, registry_->make(backend_name_));
  ASSERT_OK_AND_ASSIGN(policy_, make_policy(policy_name_, CostModel(backend_->expected_cost())));
  ASSERT_OK_AND_ASSIGN(Inventory inventory, backend_->inventory());
  std::optional<SessionImage> image = catalog_.load(kSession);
  ASSERT_TRUE(image);
  ASSERT_OK_AND_ASSIGN(BranchTree tree, BranchTree::from_image(*image));
  Orphans found = find_orphans({&tree}, inventory);
  orphans = found.branches.size() + found.physical.size();
  for (const BranchHandle& branch : found.branches) ASSERT_OK(backend_->end(branch));
  for (const PhysicalRef& ref : found.physical) ASSERT_OK(backend_->remove(ref));
  ASSERT_OK_AND_ASSIGN(session_, SessionManager::reopen(ports(), *image, inventory));
}

Observation World::observe(const std::string& command, const BranchId& branch) {
  auto seen = session_->exec_command(branch, {.command = command, .timeout = seconds(60)});
  EXPECT_OK(seen) << command;
  return seen ? *seen : Observation{.exit_code = -1};
}

std::string World::run(const std::string& command, const BranchId& branch) {
  std::string output = observe(command, branch).output;
  if (output.ends_with('\n')) output.pop_back();
  return output;
}

NodeId World::snapshot(const BranchId& branch) {
  auto taken = session_->snapshot(branch);
  EXPECT_OK(taken);
  return taken ? taken->node : NodeId();
}

void World::restore(const NodeId& node, const BranchId& branch) {
  EXPECT_OK(session_->restore(branch, node.value()));
}

BranchHandle World::handle(const BranchId& branch) {
  return session_->read([&](const BranchTree& tree) {
    const Branch* found = tree.find_branch(branch);
    return found == nullptr ? BranchHandle() : found->handle;
  });
}

std::vector<std::string> World::disagreements() {
  SessionImage image = session_->read([](const BranchTree& tree) { return tree.image(); });
  std::set<std::string> named;
  for (const Node& node : image.nodes) {
    if (node.physical) named.insert("snapshot " + node.physical->ref.value());
  }
  for (const Branch& branch : image.branches) {
    if (branch.alive) named.insert("branch " + branch.handle.value());
  }
  std::set<std::string> has;
  Inventory inventory = backend_->inventory().value();
  for (const PhysicalRef& ref : inventory.physical) has.insert("snapshot " + ref.value());
  for (const BranchHandle& branch : inventory.live) has.insert("branch " + branch.value());
  std::vector<std::string> lines;
  for (const std::string& name : named) {
    if (!has.contains(name)) lines.push_back(name + " is missing");
  }
  for (const std::string& name : has) {
    if (!named.contains(name)) lines.push_back("no record refers to " + name);
  }
  return lines;
}

}  // namespace sf::test
