#include "control/session_manager.h"

#include <utility>

#include "control/node_ref.h"
#include "control/recovery.h"
#include "control/session_parts.h"

namespace sf::control {
namespace {

Error ended_error() {
  return fail(ErrorCode::kNotFound, "the session has ended", "`statefork ls` lists the sessions");
}

Error lost_branch(const BranchId& id) {
  return fail(ErrorCode::kSessionLost, "branch " + id.value() + " is no longer running",
              "restore a node to bring it back");
}

}  // namespace

SessionManager::SessionManager(SessionPorts ports, SessionLimits limits, const SessionTerms& terms)
    : backend_(ports.backend),
      catalog_(ports.catalog),
      policy_(ports.policy),
      now_(std::move(ports.now)),
      limits_(limits),
      capabilities_(backend_.capabilities()) {
  if (terms.max_bytes != 0) limits_.max_physical_bytes = terms.max_bytes;
  if (terms.max_branches != 0)
    limits_.max_branches = std::min<std::size_t>(limits_.max_branches, terms.max_branches);
}

Result<std::unique_ptr<SessionManager>> SessionManager::build_session(SessionPorts ports,
                                                                      NewSession request,
                                                                      SessionLimits limits) {
  SF_TRY(check_name(request.id.value(), "session id"));
  if (!request.name.empty()) SF_TRY(check_name(request.name, "session name"));
  Stopwatch watch;
  std::unique_ptr<SessionManager> session(
      new SessionManager(std::move(ports), limits, request.terms));
  SessionManager& s = *session;

  request.config = s.backend_.with_defaults(std::move(request.config));
  SF_TRY_ASSIGN(BranchHandle handle, s.backend_.start(request.config));
  LiveCopy copy(s, handle);
  const BranchId main{std::string(kMainBranch)};
  Node root{.id = s.tree_.next_node_id(), .origin = main, .created = s.now_()};
  if (s.capabilities_.physical_snapshots) {
    Result<Captured> state = s.capture(handle);
    if (state.ok()) {
      root.physical = state->state;
      root.quiet = state->facts.is_quiet();
    } else if (state.error().code == ErrorCode::kUnsupported ||
               state.error().code == ErrorCode::kNoSpace) {
      SF_TRY_ASSIGN(BranchFacts facts, s.backend_.facts(handle));
      root.quiet = facts.is_quiet();
      root.notes["statefork.why_virtual"] = state.error().message;
      s.stats_.fallbacks += 1;
    } else {
      return std::move(state).error().while_doing("taking the root snapshot");
    }
  }

  std::vector<Edit> edits;
  edits.emplace_back(edit::PutSession{{.id = request.id,
                                       .name = std::move(request.name),
                                       .backend = std::string(s.backend_.name()),
                                       .policy = s.policy_.name(),
                                       .config = std::move(request.config),
                                       .created = root.created,
                                       .labels = std::move(request.labels),
                                       .terms = request.terms}});
  edits.emplace_back(edit::AddNode{root});
  edits.emplace_back(
      edit::AddBranch{{.id = main, .node = root.id, .handle = handle, .created = root.created}});
  if (root.physical)
    edits.emplace_back(edit::CostMeasured{root.physical->memory_bytes, root.physical->took});
  Status committed = Ok{};
  {
    std::lock_guard lock(s.mutex_);
    s.tree_.apply(edits.front()).value();  // names the session, which the change is filed under
    committed = s.commit("build_session", std::move(edits), watch.elapsed(), {.next_node = 1});
    if (committed.ok()) s.slots_[main] = std::make_shared<BranchSlot>();
  }
  if (!committed.ok()) {
    if (root.physical) s.discard({}, {root.physical->ref});
    return std::move(committed).error();
  }
  copy.release();
  return session;
}

Result<std::unique_ptr<SessionManager>> SessionManager::reopen(SessionPorts ports,
                                                               SessionImage image,
                                                               const Inventory& inventory,
                                                               SessionLimits limits) {
  std::unique_ptr<SessionManager> session(
      new SessionManager(std::move(ports), limits, image.session.terms));
  SF_TRY_ASSIGN(session->tree_, BranchTree::from_image(std::move(image)));
  for (const auto& [id, branch] : session->tree_.branches())
    session->slots_[id] = std::make_shared<BranchSlot>();
  Status marked = session->reconcile(inventory);
  // If the disk is full, a missing part stays unmarked; the session notices it again when it uses
  // the part.
  if (!marked && marked.error().code != ErrorCode::kNoSpace) return std::move(marked).error();
  return session;
}

Status SessionManager::reconcile(const Inventory& inventory) {
  std::lock_guard lock(mutex_);
  if (tree_.ended()) return Ok{};
  std::vector<Edit> missing = missing_parts(tree_, inventory);
  if (!missing.empty()) SF_TRY(commit("recover", std::move(missing)));
  tree_.take_unneeded();  // the backend does not have them any more
  return Ok{};
}

bool SessionManager::settle(Deadline deadline) {
  std::unique_lock lock(making_, std::defer_lock);
  return lock.try_lock_until(deadline.at());
}

// Requires: mutex_ is held, and the edits fit the tree.
Status SessionManager::commit(std::string operation, std::vector<Edit> edits, microseconds took,
                              Counters counters) {
  Change change{.session = tree_.session().id,
                .operation = std::move(operation),
                .at = now_(),
                .took = took,
                .counters = counters,
                .edits = std::move(edits)};
  SF_TRY(catalog_.append(change));
  SF_CHECK(tree_.apply(change).ok());
  return Ok{};
}

Status SessionManager::commit(std::string operation, std::vector<Edit> edits, microseconds took) {
  return commit(std::move(operation), std::move(edits), took, tree_.counters());
}

Result<SessionManager::BranchLock> SessionManager::lock_branch(const BranchId& branch, Input input,
                                                               Condition condition) {
  BranchLock branch_lock{.id = branch};
  SF_TRY_ASSIGN(branch_lock.slot, seat_of(branch));
  branch_lock.held = std::unique_lock(branch_lock.slot->exclusive);
  if (input == Input::kHeld) branch_lock.input = std::unique_lock(branch_lock.slot->input);
  SF_TRY(look_again(branch_lock, condition));
  return branch_lock;
}

Result<std::optional<SessionManager::BranchLock>> SessionManager::try_turn(const BranchId& branch) {
  BranchLock branch_lock{.id = branch};
  SF_TRY_ASSIGN(branch_lock.slot, seat_of(branch));
  {
    std::lock_guard no_snapshot(branch_lock.slot->input);  // waits for snapshots and restores
    branch_lock.held = std::unique_lock(branch_lock.slot->exclusive, std::try_to_lock);
  }
  if (!branch_lock.held.owns_lock()) return std::optional<BranchLock>();
  SF_TRY(look_again(branch_lock, Condition::kAlive));
  return std::optional<BranchLock>(std::move(branch_lock));
}

Result<std::shared_ptr<SessionManager::BranchSlot>> SessionManager::seat_of(
    const BranchId& branch) {
  std::lock_guard lock(mutex_);
  if (tree_.ended()) return ended_error();
  auto it = slots_.find(branch);
  if (it == slots_.end()) return no_branch(tree_, branch);
  return it->second;
}

// Reads the branch again after the lock was acquired: another call may have changed it.
Status SessionManager::look_again(BranchLock& branch_lock, Condition condition) {
  std::lock_guard lock(mutex_);
  if (tree_.ended()) return ended_error();
  auto it = slots_.find(branch_lock.id);
  if (it == slots_.end() || it->second != branch_lock.slot)
    return no_branch(tree_, branch_lock.id);  // ended by another call
  const Branch* found = tree_.find_branch(branch_lock.id);
  if (condition == Condition::kAlive && !found->alive) return lost_branch(branch_lock.id);
  branch_lock.node = found->node;
  branch_lock.handle = found->handle;
  return Ok{};
}

Result<BranchHandle> SessionManager::live_handle(const BranchId& branch) const {
  std::lock_guard lock(mutex_);
  if (tree_.ended()) return ended_error();
  const Branch* found = tree_.find_branch(branch);
  if (found == nullptr) return no_branch(tree_, branch);
  if (!found->alive) return lost_branch(branch);
  return found->handle;
}

void SessionManager::note_if_lost(const BranchId& branch, const BranchHandle& handle,
                                  const Error& error) {
  if (error.code != ErrorCode::kSessionLost) return;
  std::lock_guard lock(mutex_);
  const Branch* found = tree_.find_branch(branch);
  if (found == nullptr || found->handle != handle || !found->alive) return;
  // If this fails, the next call or the next start finds the branch dead again.
  (void)commit("lose_branch", {edit::LoseBranch{branch}}).ok();
}

std::vector<std::string> SessionManager::discard(std::vector<BranchHandle> handles,
                                                 std::vector<PhysicalRef> refs) {
  std::vector<std::string> left;
  std::vector<BranchHandle> unended;
  std::vector<PhysicalRef> unremoved;
  for (BranchHandle& handle : handles) {
    Status ended = backend_.end(handle);
    if (ended.ok()) continue;
    left.push_back("branch " + handle.value() + ": " + ended.error().message);
    unended.push_back(std::move(handle));
  }
  for (PhysicalRef& ref : refs) {
    Status removed = backend_.remove(ref);
    if (removed.ok()) continue;
    left.push_back("snapshot " + ref.value() + ": " + removed.error().message);
    unremoved.push_back(std::move(ref));
  }
  std::lock_guard lock(mutex_);
  unended_.insert(unended_.end(), unended.begin(), unended.end());
  unremoved_.insert(unremoved_.end(), unremoved.begin(), unremoved.end());
  return left;
}

void SessionManager::retire(BranchHandle handle) {
  if (backend_.retire(handle).ok()) return;
  std::lock_guard lock(mutex_);
  unended_.push_back(std::move(handle));
}

std::vector<std::string> SessionManager::collect_garbage() {
  std::unique_lock lock(mutex_);
  std::vector<BranchHandle> handles = std::exchange(unended_, {});
  std::vector<PhysicalRef> refs = std::exchange(unremoved_, {});
  lock.unlock();
  return discard(std::move(handles), std::move(refs));
}

Status SessionManager::rename_node(const BranchId& branch, std::string_view ref,
                                   const std::string& name) {
  std::lock_guard lock(mutex_);
  SF_TRY_ASSIGN(NodeId node, resolve(tree_, branch, ref));
  if (!name.empty()) {
    SF_TRY(check_name(name, "node name"));
    const Node* taken = tree_.find_named(name);
    if (taken != nullptr && taken->id != node)
      return invalid("node name '" + name + "' is taken by " + taken->id.value(),
                     "choose another name, or rename that node first");
  }
  return commit("rename", {edit::NameNode{node, name}});
}

Status SessionManager::rename_session(const std::string& name) {
  if (!name.empty()) SF_TRY(check_name(name, "session name"));
  std::lock_guard lock(mutex_);
  if (tree_.ended()) return ended_error();
  SessionRecord record = tree_.session();
  record.name = name;
  return commit("rename", {edit::PutSession{std::move(record)}});
}

Status SessionManager::set_note(const BranchId& branch, std::string_view ref,
                                const std::string& key, std::optional<std::string> value) {
  if (key.empty() || key.size() > 2 * kMaxName)
    return invalid("a note's key must have 1 to " + std::to_string(2 * kMaxName) + " bytes");
  if (value && value->size() > limits_.max_note_bytes)
    return invalid("note '" + key + "' is larger than " + std::to_string(limits_.max_note_bytes) +
                   " bytes");
  std::lock_guard lock(mutex_);
  SF_TRY_ASSIGN(NodeId node, resolve(tree_, branch, ref));
  const Notes& notes = tree_.find(node)->notes;
  if (value && !notes.contains(key) && notes.size() >= limits_.max_notes)
    return fail(ErrorCode::kNoSpace,
                "node " + node.value() + " has " + std::to_string(notes.size()) +
                    " notes, which is the limit",
                "remove a note first");
  return commit("note", {edit::SetNote{node, key, std::move(value)}});
}

Result<NodeId> SessionManager::resolve_ref(const BranchId& branch, std::string_view ref) const {
  std::lock_guard lock(mutex_);
  if (tree_.ended()) return ended_error();
  return resolve(tree_, branch, ref);
}

SessionStats SessionManager::stats() const {
  const std::vector<PhysicalRef> ready = backend_.ready();
  std::lock_guard lock(mutex_);
  SessionStats stats = stats_;
  stats.nodes = tree_.size();
  stats.physical_refs = tree_.physical_count();
  for (const PhysicalRef& ref : ready) stats.ready_refs += tree_.uses_of(ref) > 0 ? 1 : 0;
  stats.physical_bytes = tree_.physical_bytes();
  for (const auto& [id, branch] : tree_.branches()) stats.live_branches += branch.alive ? 1 : 0;
  return stats;
}

}  // namespace sf::control
