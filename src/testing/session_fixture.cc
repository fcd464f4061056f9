#include "testing/session_fixture.h"

#include <set>

#include "control/policy_names.h"
#include "control/recovery.h"

namespace sf::test {

using namespace control;  // NOLINT: the file uses little else

namespace {

FakeBackendOptions with_fuse(FakeBackendOptions options, Fuse& fuse) {
  options.fuse = &fuse;
  return options;
}

}  // namespace

SessionFixture::SessionFixture(const std::string& policy_name, FakeBackendOptions options,
                               SessionLimits limits)
    : backend(with_fuse(options, fuse)),
      limits_(limits),
      policy_(make_policy(policy_name, CostModel(backend.expected_cost())).value()) {}

SessionPorts SessionFixture::ports() {
  return {backend, catalog, *policy_, [] { return WallTime(microseconds(1'000'000)); }};
}

Status SessionFixture::build() {
  SF_TRY_ASSIGN(session_, SessionManager::build_session(ports(), {.id = id}, limits_));
  return Ok{};
}

Status SessionFixture::restart() {
  session_.reset();
  fuse.disarm();
  SF_TRY_ASSIGN(Inventory inventory, backend.inventory());
  std::optional<SessionImage> image = catalog.load(id);
  std::optional<BranchTree> tree;
  std::vector<const BranchTree*> sessions;
  if (image) {
    SF_TRY_ASSIGN(tree, BranchTree::from_image(*image));
    sessions.push_back(&*tree);
  }
  Orphans found = find_orphans(sessions, inventory);
  orphans = found.branches.size() + found.physical.size();
  for (const BranchHandle& branch : found.branches) SF_TRY(backend.end(branch));
  for (const PhysicalRef& ref : found.physical) SF_TRY(backend.remove(ref));
  if (!image) return fail(ErrorCode::kNotFound, "no such session");
  SF_TRY_ASSIGN(session_, SessionManager::reopen(ports(), *image, inventory, limits_));
  return Ok{};
}

Result<Observation> SessionFixture::run(const std::string& branch, const std::string& command) {
  return session_->exec_command(BranchId(branch), {.command = command});
}

std::optional<FakeMachine> SessionFixture::machine(const std::string& branch) {
  BranchHandle handle = session_->read([&](const BranchTree& tree) {
    const Branch* found = tree.find_branch(BranchId(branch));
    return found == nullptr ? BranchHandle() : found->handle;
  });
  return backend.machine(handle);
}

std::string SessionFixture::dump(const std::string& branch) {
  std::optional<FakeMachine> found = machine(branch);
  return found ? found->dump() : "";
}

NodeId SessionFixture::mark(const std::string& branch, const SnapshotRequest& request) {
  return session_->snapshot(BranchId(branch), request).value().node;
}

Status SessionFixture::back(const std::string& branch, const NodeId& node) {
  SF_TRY(session_->restore(BranchId(branch), node.value()));
  return Ok{};
}

Node SessionFixture::node(const NodeId& wanted) {
  return session_->read([&](const BranchTree& tree) { return *tree.find(wanted); });
}

std::vector<std::string> SessionFixture::broken_rules() {
  std::vector<std::string> broken;
  SessionImage image = session_->read([](const BranchTree& tree) { return tree.image(); });
  if (catalog.load(id) != image) broken.emplace_back("memory and catalog differ");

  std::set<PhysicalRef> needed;
  for (const Node& node : image.nodes) {
    if (node.physical) needed.insert(node.physical->ref);
  }
  std::set<BranchHandle> named;
  for (const Branch& branch : image.branches) {
    if (branch.alive) named.insert(branch.handle);
  }
  Inventory inventory = backend.inventory().value();
  std::set<PhysicalRef> has(inventory.physical.begin(), inventory.physical.end());
  std::set<BranchHandle> live(inventory.live.begin(), inventory.live.end());
  for (const PhysicalRef& ref : has) {
    if (!needed.contains(ref)) broken.push_back("no node needs snapshot " + ref.value());
  }
  for (const PhysicalRef& ref : needed) {
    if (!has.contains(ref)) broken.push_back("snapshot " + ref.value() + " is missing");
  }
  for (const BranchHandle& handle : live) {
    if (!named.contains(handle)) broken.push_back("unknown branch " + handle.value());
  }
  for (const BranchHandle& handle : named) {
    if (!live.contains(handle)) broken.push_back("branch " + handle.value() + " is missing");
  }
  return broken;
}

}  // namespace sf::test
