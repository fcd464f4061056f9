// Backend: port to any substrate. The logical plane decides what to keep; a backend keeps it.
//
// Rules for an implementation:
// - A call that fails has changed nothing, except where its comment says otherwise.
// - Error codes matter. kSessionLost: this live branch is gone for good. kInvalidArgument, kBusy,
//   kUnsupported and kNotFound from exec() and write_file(): the request had no effect. After any
//   other code from these two, the effect is unknown.
// - Calls on different handles come from different threads at the same time. Calls on one handle
//   are made one at a time, with two exceptions: run(), send_keys(), resize(), screen(),
//   read_file() and facts() may come while exec() runs, and end() may come at any moment (a running
//   exec() or run() then fails with kSessionLost).
// - restore() never changes a live branch in place. It builds a second one. The caller ends the
//   first one only after the catalog says that the second one replaced it. Therefore a kill at any
//   instruction does no harm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/branch_facts.h"
#include "base/clock.h"
#include "base/command.h"
#include "base/input_events.h"
#include "base/result.h"
#include "base/terminal_view.h"
#include "control/cost_line.h"
#include "control/names.h"
#include "control/preserves.h"
#include "control/start_config.h"
#include "control/state_diff.h"

namespace sf::control {

using sf::BranchFacts;

struct Capabilities {
  bool physical_snapshots = true;  // false: checkpoint, restore and fork are never called
  bool terminal = false;           // send_keys, send_input, screen, resize, watch
  bool files = false;              // read_file, write_file
  bool diff = false;
};

// A physical snapshot and its cost.
struct Checkpoint {
  PhysicalRef ref;
  std::uint64_t bytes = 0;   // on disk, not shared with its parent
  BranchFacts facts;         // of the branch as it was captured
  microseconds took{0};      // the whole call
  microseconds stopped{0};   // how long the branch was stopped
  bool unchanged = false;    // equals the previous snapshot, which is used instead
  bool precaptured = false;  // captured ahead of the call, so `took` is not the real cost
};

// Limits for computing a digest. If one is exceeded, digest() fails with kUnsupported.
struct DigestBudget {
  std::size_t files = 20'000;
  std::uint64_t bytes = 64U << 20U;
  milliseconds time{150};

  static DigestBudget unlimited() {
    return {.files = 10'000'000, .bytes = 1ULL << 40U, .time = std::chrono::minutes(10)};
  }
};

struct BackendUsage {
  std::uint64_t bytes = 0;
  std::uint64_t physical_snapshots = 0;
  std::uint64_t live_branches = 0;
};

// All objects of the backend. recovery.h compares them with the records to find orphans.
struct Inventory {
  std::vector<BranchHandle> live;
  std::vector<PhysicalRef> physical;
};

// A state to compare: a physical snapshot, or the current state of a live branch.
using DiffSide = std::variant<PhysicalRef, BranchHandle>;

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  virtual Preserves preserves() const = 0;
  virtual Capabilities capabilities() const = 0;
  // The estimate that is used until a checkpoint has been measured.
  virtual CostLine expected_cost() const { return {}; }

  // Fills in the settings that start() would otherwise take from the calling process. The session's
  // record keeps the result, so that the session can be started again in the same way.
  virtual StartConfig with_defaults(StartConfig config) const { return config; }
  virtual Result<BranchHandle> start(const StartConfig& config) = 0;
  virtual Result<Observation> exec(const BranchHandle& branch, const ExecRequest& request,
                                   const OutputSink& sink) = 0;
  // Runs a side command; does not wait for the shell.
  virtual Result<SideObservation> run(const BranchHandle& branch, const SideRequest& request) = 0;
  // kUnsupported: this state cannot be captured; the message names the blockers.
  virtual Result<Checkpoint> checkpoint(const BranchHandle& branch) = 0;
  // A new live branch at `from` that shall replace `old`. `old` is not changed and may be dead.
  virtual Result<BranchHandle> restore(const BranchHandle& old, const PhysicalRef& from) = 0;
  // Returns exactly `count` entries: a live branch, or an error.
  virtual std::vector<Result<BranchHandle>> fork(const PhysicalRef& from, std::size_t count) = 0;
  // Both succeed if the object is already gone. A layer is kept as long as another snapshot uses
  // it.
  virtual Status remove(const PhysicalRef& ref) = 0;
  virtual Status end(const BranchHandle& branch) = 0;
  // Like end(), for a branch that has been replaced: returns before its processes have ended. If
  // this process is killed, the rest of the branch is in no inventory.
  virtual Status retire(const BranchHandle& branch) { return end(branch); }

  // Types all keys or none. kBusy: the terminal's input queue is full. At least 1 MiB fits.
  virtual Result<TypedKeys> send_keys(const BranchHandle& branch, std::string_view keys) = 0;
  // Like send_keys(), encoded for the modes of the branch's terminal. kInvalidArgument: the program
  // in the terminal did not turn this kind of input on.
  virtual Result<TypedKeys> send_input(const BranchHandle& branch, const InputEvents& input) = 0;
  virtual Result<ScreenText> screen(const BranchHandle& branch, std::size_t scrollback) = 0;
  virtual Status resize(const BranchHandle& branch, std::uint16_t rows, std::uint16_t cols) = 0;
  virtual Result<WindowSize> window(const BranchHandle& branch) = 0;
  virtual Result<std::unique_ptr<TerminalFeed>> watch(const BranchHandle& branch) = 0;
  virtual Result<std::string> read_file(const BranchHandle& branch, const std::string& path,
                                        std::size_t max_bytes) = 0;
  virtual Status write_file(const BranchHandle& branch, const std::string& path,
                            std::string_view content) = 0;

  virtual Result<BranchFacts> facts(const BranchHandle& branch) = 0;
  // Digest of everything that preserves() claims and that the branch changed since `since`
  // (nullopt: since it was started): files with content, mode and owner, and the shell's own state.
  // Equal digests mean equal states, with the exceptions in docs/guarantees.md (times, inode
  // numbers). Requires: the branch is quiet and its last command was run with always_fingerprint.
  // kUnsupported: the digest exceeds the budget.
  virtual Result<std::string> digest(const BranchHandle& branch,
                                     const std::optional<PhysicalRef>& since,
                                     const DigestBudget& budget) = 0;
  virtual Result<StateDiff> diff(const DiffSide& from, const DiffSide& to) = 0;
  virtual Result<BackendUsage> usage() = 0;
  // Snapshots that restore() and fork() can use from a prerestore. May be called at any moment.
  virtual std::vector<PhysicalRef> ready() const { return {}; }
  virtual Result<Inventory> inventory() = 0;
};

}  // namespace sf::control
