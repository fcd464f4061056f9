// SessionManager: one session, its tree and its live branches, over a backend and a catalog.
//
//   auto session = SessionManager::build_session(ports, {.id = SessionId("s1")}).value();
//   session->exec_command(main, {.command = "make"});
//   NodeId here = session->snapshot(main)->node;
//   session->restore(main, here.value());
//   session->fork(main, "HEAD", {.count = 4});
//   session->cleanup(main, here.value());
//
// Thread rules: any method from any thread. One branch does one thing at a time: calls on it wait
// for the lock; different branches run side by side. Commands beside the shell, keys, the screen
// and files to be read do not wait for a running command. Ending things waits for nobody: what was
// running there fails. Locks, in their order: a branch's lock, its input, making_, then mutex_,
// which is held for the tree and the catalog's append and never for a call of the backend.
//
// Crash rules: see catalog.h. Each method says "Commits:" what its one deciding change is.
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

// What a session stands on; all of it outlives the session.
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
  std::uint64_t max_physical_bytes = 0;  // 0: none
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
  std::optional<Materialization> wanted;  // nothing: the policy decides
  Notes notes;
};

struct SnapshotReport {
  NodeId node;
  Materialization kind = Materialization::kVirtual;
  bool unchanged = false;         // proven to be as the snapshot before, and kept there
  std::string why;                // what decided the kind
  std::optional<Error> fallback;  // why it could not be physical, though it should have been
  std::optional<PhysicalState> physical;
  std::optional<ReplayProof> proof;  // of a virtual node
  bool quiet = false;                // Node::quiet
  microseconds took{0};
};

enum class OnDivergence {
  kFail,    // the branch stays as it was
  kAccept,  // go on; the report lists every difference
};

struct RestoreReport {
  NodeId node;
  std::size_t replayed = 0;
  std::vector<Divergence> accepted;
  bool promoted = false;  // the node was virtual and is physical now
  // Why the state is not proven to be the node's: outputs alone could be compared, or nothing.
  // Empty: it is.
  std::string unproven;
  microseconds took{0};
};

struct ForkRequest {
  std::size_t count = 1;
  std::vector<BranchId> names;  // the first ones; the others are numbered
  OnDivergence on_divergence = OnDivergence::kFail;
};

struct ForkReport {
  NodeId node;
  std::vector<Result<BranchId>> branches;  // one for each asked for: a branch, or why there is none
  std::vector<std::vector<Divergence>> accepted;  // RestoreReport's, of each of them
  std::string unproven;                           // the same, of those that were replayed
  microseconds took{0};
};

enum class Force { kNo, kYes };

struct CleanupReport {
  std::vector<NodeId> nodes;
  std::vector<BranchId> branches;  // ended, because they stood there
  std::size_t physical_refs = 0;   // no longer needed by anyone
  std::uint64_t bytes = 0;         // of those
  std::vector<std::string>
      leftovers;  // what the backend could not remove; collect_garbage() retries
};

class SessionManager {
 public:
  // Starts the session with branch `main` on its root node, which is physical whenever the backend
  // can make it so: a start repeated later would see another host. Commits: the whole session.
  static Result<std::unique_ptr<SessionManager>> build_session(SessionPorts ports,
                                                               NewSession request,
                                                               SessionLimits limits = {});
  // A session from its records. Branches and snapshots that the backend no longer has are marked.
  static Result<std::unique_ptr<SessionManager>> reopen(SessionPorts ports, SessionImage image,
                                                        const Inventory& inventory,
                                                        SessionLimits limits = {});
  // The backend was away and has lost what it does not name now: such branches and snapshots are
  // marked. Commits: the marks.
  Status reconcile(const Inventory& inventory);
  // Waits until no operation that makes a branch or a snapshot is under way: then all that the
  // session has is recorded. False: one was still under way at the deadline.
  bool settle(Deadline deadline);
  SessionManager(const SessionManager&) = delete;
  SessionManager& operator=(const SessionManager&) = delete;
  ~SessionManager() = default;  // branches live on

  // Commits: the command as begun, then as finished. An Error means that there is no observation;
  // unless it says that nothing was done, the command may have had any effect, and the next
  // snapshot will be physical.
  // `may_begin` is asked when the branch is locked for it; its error is the answer, and nothing was
  // done.
  Result<Observation> exec_command(const BranchId& branch, const ExecRequest& request,
                                   const OutputSink& sink = {},
                                   const std::function<Status()>& may_begin = {});
  // Commits: the node, and the branch standing on it.
  Result<SnapshotReport> snapshot(const BranchId& branch, const SnapshotRequest& request = {});
  // Brings the branch to a node: a new live branch is built there, checked and swapped in. On any
  // failure, kDiverged included, the branch is as it was. Brings a lost branch back.
  // Commits: the branch standing on the node with its new handle.
  Result<RestoreReport> restore(const BranchId& branch, std::string_view ref,
                                OnDivergence on_divergence = OnDivergence::kFail);
  // New branches at a node. HEAD is `branch`'s; what it did since is not in the forks (take a
  // snapshot first). Commits: all branches that came to be, at once.
  Result<ForkReport> fork(const BranchId& branch, std::string_view ref, const ForkRequest& request);
  // Removes a node and all below it. kBusy, naming them, when branches stand there or come to be
  // there, unless forced: then they are ended. Commits: the removal; the backend follows.
  Result<CleanupReport> cleanup(const BranchId& branch, std::string_view ref, Force force);
  Result<CleanupReport> end_branch(const BranchId& branch);
  // cleanup() of everything. All later calls fail with kNotFound.
  Result<CleanupReport> end_session();
  // Tries again what the backend could not remove. Returns what is still left.
  std::vector<std::string> collect_garbage();

  Status rename_node(const BranchId& branch, std::string_view ref, const std::string& name);
  Status rename_session(const std::string& name);
  Status set_note(const BranchId& branch, std::string_view ref, const std::string& key,
                  std::optional<std::string> value);

  // A command beside the shell; waits for no other. What it does cannot be replayed.
  Result<SideObservation> run(const BranchId& branch, const SideRequest& request);
  // Types all of it or nothing; kBusy: too much waits already for the program in the terminal.
  Result<TypedKeys> send_keys(const BranchId& branch, std::string_view keys);
  Result<TypedKeys> send_input(const BranchId& branch, const InputEvents& input);
  Status resize(const BranchId& branch, std::uint16_t rows, std::uint16_t cols);
  Result<ScreenText> screen(const BranchId& branch, std::size_t scrollback = 0);
  // What the branch's terminal prints from now on, through restores, until the branch ends.
  // Requires: the session outlives the feed.
  Result<std::unique_ptr<TerminalFeed>> watch(const BranchId& branch);
  Result<std::string> read_file(const BranchId& branch, const std::string& path,
                                std::size_t max_bytes);
  Status write_file(const BranchId& branch, const std::string& path, std::string content);
  Result<BranchFacts> facts(const BranchId& branch);

  // What differs from one node to another, or to the branch as it is now (no `to`). Virtual nodes
  // are brought back for it, verified, and put away again.
  Result<StateDiff> diff(const BranchId& branch, std::string_view from,
                         std::optional<std::string_view> to);

  Result<NodeId> resolve_ref(const BranchId& branch, std::string_view ref) const;
  SessionStats stats() const;
  // Calls look(tree) while nothing changes. `look` must be brief and not call back.
  template <typename Look>
  auto read(Look look) const {
    std::lock_guard lock(mutex_);
    return look(static_cast<const BranchTree&>(tree_));
  }

 private:
  struct BranchSlot {  // what a live branch has beside its record
    std::mutex exclusive;
    std::mutex input;
    std::vector<LogEntry> beside;  // programs that run beside the shell; guarded by mutex_
  };
  struct BranchLock {  // the right to do something to a branch, and the branch as it was found
    std::shared_ptr<BranchSlot> slot;
    std::unique_lock<std::mutex> held;
    std::unique_lock<std::mutex> input;
    BranchId id;
    NodeId node;
    BranchHandle handle;
  };
  enum class Input { kOpen, kHeld };  // may keys come in meanwhile?
  enum class Condition { kAlive, kAny };
  class Feed;      // a TerminalFeed of a branch, whichever handle it has
  class Pin;       // keeps a node from being cleaned up
  class LiveCopy;  // a live branch that no record names yet; ended unless released
  struct RestoredCopy;

  SessionManager(SessionPorts ports, SessionLimits limits, const SessionTerms& terms);

  // session_manager.cc: turns, commits, and what follows from them
  Result<BranchLock> lock_branch(const BranchId& branch, Input input, Condition condition);
  // Nothing: something is done to the branch right now. Waits for snapshots and restores only.
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
  // Ends a branch whose place another one has taken. What fails is garbage.
  void retire(BranchHandle handle);

  // session_commands.cc
  // Records an entry as begun, carries it out (`effect` fills in what was seen), and records how it
  // ended.
  Status carry_out(const BranchLock& branch_lock, const std::string& operation, LogEntry entry,
                   const std::function<Status(LogEntry&)>& effect);
  // For what does not wait for the branch's lock. The lock keeps snapshots and restores away.
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
    // Either: its price says nothing.
    bool unchanged = false;    // shares what the backend kept before
    bool precaptured = false;  // was captured before
    BranchFacts facts;         // of the branch as it was captured
    std::vector<Edit> cost() const;
  };
  Result<Captured> capture(const BranchHandle& handle);
  // What a replay of the branch's state will be compared with.
  Result<std::optional<ReplayProof>> prove(const BranchLock& branch_lock);
  // A snapshot of a branch in the making. A capture tells what ran in the branch: where it will be
  // made whatever runs, the branch is not asked before.
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
  // Fills in how the node comes back: a snapshot, or the proof of a replay.
  Status materialize(SnapshotChoice choice, Making& making);
  Status take_physical(Making& making);
  Result<SnapshotQuestion> question(const Making& making) const;
  // Why a replay that begins at the snapshot below `from` would run in another shell; or nothing.
  std::optional<std::string> shell_that_stays_away(const NodeId& from) const;
  Status check_new_node(const SnapshotRequest& request) const;
  Status add_node(Making& making, microseconds took);

  // session_revive.cc
  Result<RestorePlan> plan(const BranchId& branch, std::string_view ref, std::optional<Pin>& pin);
  Result<RestoredCopy> restore_copy(const RestorePlan& plan, const BranchHandle* old,
                                    OnDivergence on_divergence);
  Status replay(const RestorePlan& plan, OnDivergence on_divergence, RestoredCopy& restored);
  Result<std::optional<Divergence>> replay_step(const ReplayStep& step, RestoredCopy& restored);
  // Compares what a replay led to with what the node was, beyond the outputs.
  Status verify(const RestorePlan& plan, OnDivergence on_divergence, RestoredCopy& restored);
  void remember_divergence(const ReplayStep& step);
  // The state differs, all outputs are the same: what is learnt of the commands on the way.
  void remember_suspects(const RestorePlan& plan);
  std::optional<PhysicalRef> promote(const RestorePlan& plan, const BranchHandle& handle,
                                     std::int64_t replays_ahead);
  std::vector<Result<RestoredCopy>> fork_copies(const RestorePlan& plan,
                                                const ForkRequest& request);

  // session_restore.cc
  // Gives `fresh` the window of `old`, and says so in the log that a replay follows.
  std::optional<LogEntry> keep_window(const BranchHandle& old, const BranchHandle& fresh);
  Result<std::vector<BranchId>> names_for(const ForkRequest& request, Counters& counters) const;

  // session_cleanup.cc
  using Removal = std::function<Status(CleanupReport&)>;  // says what goes; mutex_ is held
  Result<CleanupReport> remove(const std::string& operation, const Removal& removal);

  Backend& backend_;
  Catalog& catalog_;
  MaterializationPolicy& policy_;
  std::function<WallTime()> now_;
  SessionLimits limits_;
  Capabilities capabilities_;
  // Held, shared, from before something is made until it is recorded or put away. Between a
  // branch's input and mutex_ in the order of locks.
  std::shared_timed_mutex making_;

  mutable std::mutex mutex_;
  BranchTree tree_;
  SessionStats stats_;
  std::map<BranchId, std::shared_ptr<BranchSlot>> slots_;
  std::map<NodeId, std::size_t> pins_;
  std::unordered_map<NodeId, microseconds> replay_spent_;  // on virtual nodes, so far
  std::unordered_set<NodeId> replayed_well_;  // virtual nodes whose commands led to a proven state
  std::vector<BranchHandle> unended_;         // garbage that could not be put away
  std::vector<PhysicalRef> unremoved_;
};

}  // namespace sf::control
