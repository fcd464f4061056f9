// Backend: port to any substrate. The logical plane decides what to keep; a backend keeps it.
//
// Rules for whoever implements it:
// - A call that fails has changed nothing, except where its comment says otherwise.
// - Error codes matter. kSessionLost: this live branch is gone for good. kInvalidArgument, kBusy,
//   kUnsupported and kNotFound from exec() and write_file(): the request had no effect. Any other
//   code from these two: nobody knows.
// - Calls on different handles come from different threads at the same time. Calls on one handle
//   are made one at a time, with two exceptions: run(), send_keys(), resize(), screen(),
//   read_file() and facts() may come while exec() runs, and end() may come at any moment (a running
//   exec() or run() then fails with kSessionLost).
// - Nothing is restored in place: restore() builds a second live branch, and only when the catalog
//   says that it took the first one's place is the first one ended. That is what makes a kill at
//   any instruction harmless.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/command.h"
#include "base/input_events.h"
#include "base/live_facts.h"
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

// What one physical snapshot is and what it cost.
struct Checkpoint {
  PhysicalRef ref;
  std::uint64_t bytes = 0;   // on disk, not shared with its parent
  BranchFacts facts;         // of the branch as it was captured
  microseconds took{0};      // the whole call
  microseconds stopped{0};   // how long the session stood still
  bool unchanged = false;    // proven to be as the one before, and kept there
  bool precaptured = false;  // captured before it was asked for: `took` says little
};

// How much a digest may cost. Beyond it there is none.
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

// Everything the backend has, whoever made it: recovery.h tells from it what nobody knows of.
struct Inventory {
  std::vector<BranchHandle> live;
  std::vector<PhysicalRef> physical;
};

// A state to compare: a physical snapshot, or a live branch as it is now.
using DiffSide = std::variant<PhysicalRef, BranchHandle>;

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  virtual Preserves preserves() const = 0;
  virtual Capabilities capabilities() const = 0;
  // What a checkpoint is believed to cost before the first one was measured.
  virtual CostLine expected_cost() const { return {}; }

  // The same, with what start() would otherwise take from the process that calls it: what is
  // recorded of a session, so that it starts in the same way again.
  virtual StartConfig with_defaults(StartConfig config) const { return config; }
  virtual Result<BranchHandle> start(const StartConfig& config) = 0;
  virtual Result<Observation> exec(const BranchHandle& branch, const ExecRequest& request,
                                   const OutputSink& sink) = 0;
  // Beside the shell, whatever that does.
  virtual Result<SideObservation> run(const BranchHandle& branch, const SideRequest& request) = 0;
  // kUnsupported: this state cannot be captured; the message names the blockers.
  virtual Result<Checkpoint> checkpoint(const BranchHandle& branch) = 0;
  // A new live branch at `from`, meant to take the place of `old`, which lives on untouched and
  // may be dead already.
  virtual Result<BranchHandle> restore(const BranchHandle& old, const PhysicalRef& from) = 0;
  // Exactly `count` entries: a live branch, or why there is none.
  virtual std::vector<Result<BranchHandle>> fork(const PhysicalRef& from, std::size_t count) = 0;
  // Both succeed on what is already gone. Layers shared with others stay while others need them.
  virtual Status remove(const PhysicalRef& ref) = 0;
  virtual Status end(const BranchHandle& branch) = 0;
  // The same for a branch whose place another one has taken: no caller waits until its processes
  // have ended. What is left of it when this process is killed is in no inventory.
  virtual Status retire(const BranchHandle& branch) { return end(branch); }

  // All of it or nothing; kBusy: too much waits already. At least 1 MiB fits.
  virtual Result<TypedKeys> send_keys(const BranchHandle& branch, std::string_view keys) = 0;
  // The same, as the modes of the branch's terminal want it. kInvalidArgument: the program in it
  // did not ask for this.
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
  // Everything that preserves() claims and that the branch changed since `since` (nothing: since it
  // was started), as one text: files with content, mode and owner; the shell's own state. Equal
  // digests mean equal states, but for what docs/guarantees.md excepts (times, inode numbers).
  // Requires: the branch is quiet; its last command was run with always_fingerprint. kUnsupported:
  // there is none within the budget.
  virtual Result<std::string> digest(const BranchHandle& branch,
                                     const std::optional<PhysicalRef>& since,
                                     const DigestBudget& budget) = 0;
  virtual Result<StateDiff> diff(const DiffSide& from, const DiffSide& to) = 0;
  virtual Result<BackendUsage> usage() = 0;
  // Those that restore() and fork() would find made already. May be called at any moment.
  virtual std::vector<PhysicalRef> ready() const { return {}; }
  virtual Result<Inventory> inventory() = 0;
};

}  // namespace sf::control
