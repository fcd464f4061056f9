// SessionManager: one session, its tree and its live branches, over a backend and a catalog.
// Example (src/control/session_manager_test.cc):
//
//   auto session = SessionManager::build_session(ports, {.id = SessionId("s1")}).value();
//   session->exec_command(kMain, {.command = "set a 1"}).value();
//   NodeId before = session->snapshot(kMain).value().node;
//   session->exec_command(kMain, {.command = "set a 2"}).value();
//   NodeId after = session->snapshot(kMain).value().node;
//   session->restore(kMain, before.value()).value();
//   session->fork(kMain, "HEAD", {.count = 4}).value();
//   session->cleanup(kMain, after.value(), Force::kNo).value();
//
// Thread rules: any method may be called from any thread. Calls on one branch wait for the branch
// lock and run one at a time; calls on different branches run in parallel. Side commands, keys, the
// screen and file reads do not wait for a running command. Ending a branch waits for no call: a
// running call on it fails. Lock order: branch lock, its input, making_, mutex_. mutex_ guards the
// tree and the catalog's append and is never held during a call of the backend.
//
// Crash rules: see catalog.h. "Commits:" names the one change that decides a method's effect.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "control/backend.h"
#include "control/branch_tree.h"
#include "control/catalog.h"
#include "control/materialization_policy.h"
#include "control/replay_check.h"
#include "control/restore_plan.h"
#include "control/session_stats.h"
#include "control/snapshot_choice.h"

namespace sf::control {

// The dependencies of a session; all of them outlive it.
struct SessionPorts {
  Backend& backend;
  Catalog& catalog;
  MaterializationPolicy& policy;
  std::function<WallTime()> now;
};

struct SessionLimits {
  std::size_t max_nodes = 1'000'000;
  std::size_t max_branches = 256;
  std::size_t max_notes = 64;  // per node
  std::size_t max_note_bytes = 64U << 10U;
  std::uint64_t max_physical_bytes = 0;  // 0: no limit
};

struct NewSession {
  SessionId id;
  std::string name;
  StartConfig config;
  std::map<std::string, std::string> labels;
  SessionTerms terms;
};

struct SnapshotRequest {
  std::string name;
  std::optional<Materialization> wanted;  // nullopt: the policy decides
  Notes notes;
};

struct SnapshotReport {
  NodeId node;
  Materialization kind = Materialization::kVirtual;
  bool unchanged = false;         // the state equals the previous snapshot's, which is used instead
  std::string why;                // the reason for `kind`
  std::optional<Error> fallback;  // if a physical node was intended: why it could not be made
  std::optional<PhysicalState> physical;
  std::optional<ReplayProof> proof;  // set for a virtual node
  bool quiet = false;                // Node::quiet
  microseconds took{0};
};

enum class OnDivergence {
  kFail,    // the branch is not changed
  kAccept,  // continue; the report lists every difference
};

struct RestoreReport {
  NodeId node;
  std::size_t replayed = 0;
  std::vector<Divergence> accepted;
  bool promoted = false;  // the node was virtual and is now physical
  // Why the state is not proven to be the node's: only outputs could be compared, or nothing. Empty
  // if it is proven.
  std::string unproven;
  microseconds took{0};
};

struct ForkRequest {
  std::size_t count = 1;
  std::vector<BranchId> names;  // names of the first branches; the others are numbered
  OnDivergence on_divergence = OnDivergence::kFail;
};

struct ForkReport {
  NodeId node;
  std::vector<Result<BranchId>> branches;  // one entry per requested branch: its id or an error
  std::vector<std::vector<Divergence>> accepted;  // RestoreReport::accepted of each branch
  std::string unproven;                           // RestoreReport::unproven of the replays
  microseconds took{0};
};

enum class Force { kNo, kYes };

struct CleanupReport {
  std::vector<NodeId> nodes;
  std::vector<BranchId> branches;  // ended, because they were at a removed node
  std::size_t physical_refs = 0;   // snapshots that no node uses any more
  std::uint64_t bytes = 0;         // size of these snapshots
  std::vector<std::string>
      leftovers;  // the backend could not remove them; collect_garbage() retries
};

class SessionManager {
 public:
  // Starts the session with branch `main` at its root node. The root is physical if the backend
  // supports it, because a later start could see another host. Commits: the whole session.
  static Result<std::unique_ptr<SessionManager>> build_session(SessionPorts ports,
                                                               NewSession request,
                                                               SessionLimits limits = {});
  // Opens a session from its records. Marks branches and snapshots that the backend no longer has.
  static Result<std::unique_ptr<SessionManager>> reopen(SessionPorts ports, SessionImage image,
                                                        const Inventory& inventory,
                                                        SessionLimits limits = {});
  // Marks branches and snapshots that the backend lost while it was unavailable. Commits: the
  // marks.
  Status reconcile(const Inventory& inventory);
  // Waits until no operation is creating a branch or a snapshot. Then everything that the session
  // has is recorded. Returns false if the deadline passed first.
  bool settle(Deadline deadline);
  SessionManager(const SessionManager&) = delete;
  SessionManager& operator=(const SessionManager&) = delete;
  ~SessionManager() = default;  // branches keep running

  // Runs a command. If it fails, there is no observation; unless the error says that the request
  // had no effect, the command may have had any effect, and the next snapshot will be physical.
  // `may_begin` is called when the branch is locked; if it returns an error, the command is not run
  // and exec_command() returns that error. Commits: the command as begun, then as finished.
  Result<Observation> exec_command(const BranchId& branch, const ExecRequest& request,
                                   const OutputSink& sink = {},
                                   const std::function<Status()>& may_begin = {});
  // Commits: the node, and the branch at it.
  Result<SnapshotReport> snapshot(const BranchId& branch, const SnapshotRequest& request = {});
  // Restores the branch to a node: builds a new live branch there, verifies it and replaces the old
  // one. If anything fails, kDiverged included, the branch is unchanged. Revives a lost branch.
  // Commits: the branch at the node with its new handle.
  Result<RestoreReport> restore(const BranchId& branch, std::string_view ref,
                                OnDivergence on_divergence = OnDivergence::kFail);
  // Makes new branches at a node. HEAD is the node of `branch`; its commands since that node are
  // not in the forks (take a snapshot first). Commits: all new branches in one change.
  Result<ForkReport> fork(const BranchId& branch, std::string_view ref, const ForkRequest& request);
  // Removes a node and all nodes below it. If branches are there or are being made there, fails
  // with kBusy and names them; with Force::kYes it ends them. Commits: the removal; then the
  // backend removes the objects.
  Result<CleanupReport> cleanup(const BranchId& branch, std::string_view ref, Force force);
  Result<CleanupReport> end_branch(const BranchId& branch);
  // Removes the whole session. All later calls fail with kNotFound.
  Result<CleanupReport> end_session();
  // Retries removals that the backend failed. Returns the objects that remain.
  std::vector<std::string> collect_garbage();

  Status rename_node(const BranchId& branch, std::string_view ref, const std::string& name);
  Status rename_session(const std::string& name);
  Status set_note(const BranchId& branch, std::string_view ref, const std::string& key,
                  std::optional<std::string> value);

  // Runs a side command without waiting for other commands. Its effects cannot be replayed.
  Result<SideObservation> run(const BranchId& branch, const SideRequest& request);
  // Types all keys or none. kBusy: the input queue of the terminal is full.
  Result<TypedKeys> send_keys(const BranchId& branch, std::string_view keys);
  Result<TypedKeys> send_input(const BranchId& branch, const InputEvents& input);
  Status resize(const BranchId& branch, std::uint16_t rows, std::uint16_t cols);
  Result<ScreenText> screen(const BranchId& branch, std::size_t scrollback = 0);
  // Output of the branch's terminal from now on, across restores, until the branch ends. Requires:
  // the session outlives the feed.
  Result<std::unique_ptr<TerminalFeed>> watch(const BranchId& branch);
  Result<std::string> read_file(const BranchId& branch, const std::string& path,
                                std::size_t max_bytes);
  Status write_file(const BranchId& branch, const std::string& path, std::string content);
  Result<BranchFacts> facts(const BranchId& branch);

  // Compares two nodes, or a node and the current state of the branch (if `to` is nullopt).
  // Restores virtual nodes for the comparison, verifies them and discards them afterwards.
  Result<StateDiff> diff(const BranchId& branch, std::string_view from,
                         std::optional<std::string_view> to);

  Result<NodeId> resolve_ref(const BranchId& branch, std::string_view ref) const;
  SessionStats stats() const;
  // Calls look(tree) with the tree locked. `look` must be brief and must not call the session.
  template <typename Look>
  auto read(Look look) const {
    std::lock_guard lock(mutex_);
    return look(static_cast<const BranchTree&>(tree_));
  }

 private:
  struct BranchSlot {  // data of a live branch that is not in its record
    std::mutex exclusive;
    std::mutex input;
    std::vector<LogEntry> beside;  // running side commands; guarded by mutex_
  };
  struct BranchLock {  // the right to change a branch, with the branch's data at that time
    std::shared_ptr<BranchSlot> slot;
    std::unique_lock<std::mutex> held;
    std::unique_lock<std::mutex> input;
    BranchId id;
    NodeId node;
    BranchHandle handle;
  };
  enum class Input { kOpen, kHeld };  // whether keys may be typed while the lock is held
  enum class Condition { kAlive, kAny };
  class Feed;      // TerminalFeed of a branch; follows the branch to a new handle
  class Pin;       // keeps a node from being removed
  class LiveCopy;  // a live branch without a record yet; ended unless released
  struct RestoredCopy;

  SessionManager(SessionPorts ports, SessionLimits limits, const SessionTerms& terms);

  // session_manager.cc: locks and commits
  Result<BranchLock> lock_branch(const BranchId& branch, Input input, Condition condition);
  // nullopt: a command is running on the branch. Waits for snapshots and restores only.
  Result<std::optional<BranchLock>> try_turn(const BranchId& branch);
  Result<std::shared_ptr<BranchSlot>> seat_of(const BranchId& branch);
  Status look_again(BranchLock& branch_lock, Condition condition);
  Result<BranchHandle> live_handle(const BranchId& branch) const;
  Status commit(std::string operation, std::vector<Edit> edits, microseconds took,
                Counters counters);
  Status commit(std::string operation, std::vector<Edit> edits, microseconds took = {});
  void note_if_lost(const BranchId& branch, const BranchHandle& handle, const Error& error);
  std::vector<std::string> discard(std::vector<BranchHandle> handles,
                                   std::vector<PhysicalRef> refs);
  // Ends a replaced branch. If that fails, the branch becomes garbage.
  void retire(BranchHandle handle);

  // session_commands.cc
  // Records an entry as begun, carries it out (`effect` fills in the result), and records the
  // outcome.
  Status carry_out(const BranchLock& branch_lock, const std::string& operation, LogEntry entry,
                   const std::function<Status(LogEntry&)>& effect);
  // Access for calls that do not take the branch lock. It keeps snapshots and restores from
  // starting.
  struct Entrance {
    BranchHandle handle;
    std::shared_ptr<BranchSlot> slot;
    std::unique_lock<std::mutex> input;
  };
  Result<Entrance> enter(const BranchId& branch, LogEntry entry);
  Status use_terminal(const BranchId& branch, LogEntry entry,
                      const std::function<Status(const BranchHandle&)>& effect);

  // session_snapshot.cc
  struct Captured {
    PhysicalState state;
    // If either is true, the measured cost is not recorded.
    bool unchanged = false;    // shares the previous snapshot
    bool precaptured = false;  // was captured ahead of the call
    BranchFacts facts;         // of the branch as it was captured
    std::vector<Edit> cost() const;
  };
  Result<Captured> capture(const BranchHandle& handle);
  // The digest that a later replay of the branch's state is compared with.
  Result<std::optional<ReplayProof>> prove(const BranchLock& branch_lock);
  // A snapshot in progress. A capture also returns the facts of the branch, so if a capture is made
  // in any case, the facts are not read before.
  struct Making {
    const BranchLock& branch_lock;
    const SnapshotRequest& request;
    std::optional<BranchFacts> facts;
    SnapshotReport report = {};
    std::vector<Edit> cost = {};
  };
  bool captures_anyway(const SnapshotRequest& request) const;
  Result<BranchFacts> look(const BranchLock& branch_lock);
  Result<SnapshotChoice> choose(const Making& making) const;
  // Fills in the snapshot, or the proof for a replay.
  Status materialize(SnapshotChoice choice, Making& making);
  Status take_physical(Making& making);
  Result<SnapshotQuestion> question(const Making& making) const;
  // Why a replay that begins at the snapshot below `from` would run in another shell; nullopt if it
  // would not.
  std::optional<std::string> shell_that_stays_away(const NodeId& from) const;
  Status check_new_node(const SnapshotRequest& request) const;
  Status add_node(Making& making, microseconds took);

  // session_revive.cc
  Result<RestorePlan> plan(const BranchId& branch, std::string_view ref, std::optional<Pin>& pin);
  Result<RestoredCopy> restore_copy(const RestorePlan& plan, const BranchHandle* old,
                                    OnDivergence on_divergence);
  Status replay(const RestorePlan& plan, OnDivergence on_divergence, RestoredCopy& restored);
  Result<std::optional<Divergence>> replay_step(const ReplayStep& step, RestoredCopy& restored);
  // Compares the state after a replay with the node, beyond the outputs.
  Status verify(const RestorePlan& plan, OnDivergence on_divergence, RestoredCopy& restored);
  void remember_divergence(const ReplayStep& step);
  // Called if the state differs although all outputs are equal. Records which commands may have
  // caused it.
  void remember_suspects(const RestorePlan& plan);
  std::optional<PhysicalRef> promote(const RestorePlan& plan, const BranchHandle& handle,
                                     std::int64_t replays_ahead);
  std::vector<Result<RestoredCopy>> fork_copies(const RestorePlan& plan,
                                                const ForkRequest& request);

  // session_restore.cc
  // Gives `fresh` the window size of `old`. Returns the log entry for the resize if a replay needs
  // one.
  std::optional<LogEntry> keep_window(const BranchHandle& old, const BranchHandle& fresh);
  Result<std::vector<BranchId>> names_for(const ForkRequest& request, Counters& counters) const;

  // session_cleanup.cc
  // Fills in the nodes and branches to remove. Called with mutex_ held.
  using Removal = std::function<Status(CleanupReport&)>;
  Result<CleanupReport> remove(const std::string& operation, const Removal& removal);

  Backend& backend_;
  Catalog& catalog_;
  MaterializationPolicy& policy_;
  std::function<WallTime()> now_;
  SessionLimits limits_;
  Capabilities capabilities_;
  // Held shared while an object is made, until it is recorded or discarded. Lock order: after a
  // branch's input, before mutex_.
  std::shared_timed_mutex making_;

  mutable std::mutex mutex_;
  BranchTree tree_;
  SessionStats stats_;
  std::map<BranchId, std::shared_ptr<BranchSlot>> slots_;
  std::map<NodeId, std::size_t> pins_;
  std::unordered_map<NodeId, microseconds> replay_spent_;  // by virtual node
  std::unordered_set<NodeId> replayed_well_;               // virtual nodes with a proven replay
  std::vector<BranchHandle> unended_;                      // garbage to remove again
  std::vector<PhysicalRef> unremoved_;
};

}  // namespace sf::control
