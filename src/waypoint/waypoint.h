// Waypoint: live terminal branches that can be checkpointed, restored and forked.
//
//   Waypoint wp = Waypoint::open({.store_dir = "/var/lib/statefork"}).value();
//   BranchId b = wp.start({.root = "/"}).value();
//   wp.exec(b, {.command = "cd /tmp && X=1"});
//   CheckpointId here = wp.checkpoint(b).value();
//   ...                                    // go astray
//   wp.restore(b, here);                   // exactly there again
//   auto forks = wp.fork(here, 4);         // four live copies, isolated from each other
//
// Thread rules: one Waypoint may be used from many threads; calls on one branch are serialized by
// its keeper. One process owns a store at a time (kBusy otherwise). Branches outlive the process:
// open() finds them again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/command.h"
#include "base/id.h"
#include "base/input_events.h"
#include "base/live_facts.h"
#include "base/result.h"
#include "shell/branch_config.h"
#include "shell/shell_client.h"
#include "terminal/screen.h"
#include "waypoint/fault_plan.h"

namespace sf::waypoint {

using BranchId = Id<struct WaypointBranchTag>;
using CheckpointId = Id<struct CheckpointTag>;

enum class FileLayerKind { kAuto, kBtrfs, kCopy };

struct WaypointOptions {
  std::string store_dir;
  std::string criu_path;   // empty: found (see doctor)
  std::string helper_dir;  // empty: where this program is; holds waypoint-keeper, waypoint-init
  FileLayerKind file_layers =
      FileLayerKind::kAuto;  // how files are kept; auto takes btrfs where the host can
  std::uint64_t store_bytes = 64ULL << 30U;  // upper bound of the store's own file system (sparse)
  // Trees of checkpoints that will probably be gone back to, made ahead of time, for all branches
  // together; an idle shell takes 4 MB. None where files are kept by copying.
  std::size_t prerestores = 2;
  FaultPlan faults;  // tests only
};

struct CheckpointInfo {
  CheckpointId id;
  std::optional<CheckpointId> parent;
  BranchId branch;    // where it was taken
  std::string label;  // the branch's
  // Nothing had changed since this one: processes and files are kept there. A checkpoint can be
  // removed all the same; what others still need of it stays with them.
  std::optional<CheckpointId> base;
  std::uint64_t image_bytes = 0;
  microseconds took{0};     // whole checkpoint() call
  microseconds stopped{0};  // how long the tree stood still for it
  // Both are told once, by checkpoint(). It had been captured before this was asked for, and stood
  // still since; and what ran in the branch as it was captured.
  bool precaptured = false;
  BranchFacts facts = {};
};

struct BranchInfo {
  BranchId id;
  BranchConfig config;
  std::optional<CheckpointId> head;  // the checkpoint it was last at
  pid_t keeper_pid = 0;
  bool alive = false;
  std::uint64_t requests = 0;  // that its keeper was sent so far, each of which waits for an answer
};

// What becomes of the branch that a restore is for.
enum class OldBranch {
  kReplaced,  // the restored tree takes its place and its id; the old tree ends in the background
  // The restored tree is a new branch, and the old one lives on until retire(). For callers that
  // keep a record of their own, which decides between the two.
  kKept,
};

struct RestoreOptions {
  OldBranch old = OldBranch::kReplaced;
  // Over the files that this live branch has now, or over the checkpoint's own if that branch is
  // gone. Files that the processes have open must be as they were. Empty: the checkpoint's own.
  BranchId files_of = {};
};

// What a digest covers, and what it may cost.
struct DigestRequest {
  std::optional<CheckpointId> since;  // nothing: since the branch's root was taken as it is
  wire::DigestLimits limits = {
      .max_files = 20'000, .max_bytes = 64U << 20U, .max_time = milliseconds(150)};
};

// What always runs in a branch, as this process numbers it.
struct BranchPids {
  pid_t init = 0;
  pid_t shell = 0;   // 0: there is none right now
  pid_t holder = 0;  // init itself, or the process that holds its descriptors for an ordinary user
  bool at_prompt = false;  // the shell waits for a command, and nothing runs beside it
};

class Waypoint {
 public:
  // Takes the store (making it when new), sweeps drafts and what dead keepers left, finds live ones
  // again.
  static Result<Waypoint> open(WaypointOptions options);
  Waypoint(Waypoint&&) noexcept;
  Waypoint& operator=(Waypoint&&) noexcept;
  ~Waypoint();  // branches go on living; close the store with end_all() first if they should not

  Result<BranchId> start(const BranchConfig& config);
  Result<Observation> exec(const BranchId& branch, const ExecRequest& request,
                           const OutputSink& sink = {});
  Result<SideObservation> side_exec(const BranchId& branch, const SideRequest& request);
  // Types all of it or nothing; at most 4 MiB wait until the program in the terminal reads them.
  Result<TypedKeys> send_keys(const BranchId& branch, std::string_view bytes);
  // The same: keys, mouse and pastes as the branch's program wants them now.
  Result<TypedKeys> send_input(const BranchId& branch, const InputEvents& input);
  Result<ScreenText> screen(const BranchId& branch, std::size_t scrollback_lines = 0);
  Status resize(const BranchId& branch, WindowSize size);
  // The size of its terminal. Asks no keeper.
  Result<WindowSize> window(const BranchId& branch);
  // Replaces a file, or makes one that belongs to the branch's user; at most kMaxFileWrite.
  // Processes in the branch see the old content or the new one, never a part of it.
  Status write_file(const BranchId& branch, const std::string& path, std::string_view content);
  // The same requests, for callers that make several.
  Result<ShellClient> shell(const BranchId& branch);
  // What the terminal prints from now on, beginning with what it shows.
  Result<TerminalWatch> watch(const BranchId& branch);

  // The branch goes on unharmed whether this succeeds or not; a failure names what could not be
  // captured.
  Result<CheckpointInfo> checkpoint(const BranchId& branch);
  // The new tree is built first, then takes the branch's place; on failure the old one is still
  // there. Nobody waits for the old one's end.
  Status restore(const BranchId& branch, const CheckpointId& checkpoint);
  // The same with options. Returns the restored branch. With OldBranch::kKept, `branch` may be gone
  // already.
  Result<BranchId> restore(const BranchId& branch, const CheckpointId& checkpoint,
                           const RestoreOptions& options);
  // The same with files alone. What processes write meanwhile may be in it or not.
  Result<CheckpointInfo> seal(const BranchId& branch);
  // A fresh shell over the files of a checkpoint of any kind and age; in `/` when the configured
  // working directory is not there.
  Result<BranchId> start_from(const CheckpointId& checkpoint);
  // One entry per fork: a live branch or why there is none.
  std::vector<Result<BranchId>> fork(const CheckpointId& checkpoint, std::size_t count);

  // After a failure, end() and remove() can be called again: they go on where they failed.
  Status end(const BranchId& branch);
  // The same without waiting: the branch is gone for all callers, and its tree ends a moment later.
  // One that uses the host's network ends at once, since others want its ports.
  Status retire(const BranchId& branch);
  void end_all();
  Status remove(const CheckpointId& checkpoint);
  // Tries again what end(), remove() and the opening of the store could not remove. One line for
  // each that is still left.
  std::vector<std::string> retry_removals();

  // What the branch changed since a checkpoint, as one text: files with content, mode and owner;
  // the shell's state. Times and inode numbers are left out, so that two branches that ran the same
  // commands from there have the same. Requires: the last command was run with always_fingerprint.
  // kUnsupported: something runs, cannot be seen into, or costs more than asked for.
  Result<std::string> digest(const BranchId& branch, const DigestRequest& request);

  Result<BranchFacts> facts(const BranchId& branch);
  // For looking into a live branch from outside.
  Result<BranchPids> pids(const BranchId& branch);
  // The directory with what the branch changed of its base root, as OverlayFS keeps it (upperdir).
  Result<std::string> changed_files(const BranchId& branch) const;

  std::vector<BranchInfo> branches() const;
  std::vector<CheckpointInfo> checkpoints() const;
  // Checkpoints whose trees stand ready, made ahead of time.
  std::vector<CheckpointId> ready() const;
  // Waits for what is made ahead of time, and for what is being ended.
  void settle();
  // What this store's files are kept with: "btrfs" or "copy".
  std::string file_layers() const;
  // Fails if the store's file system lets nobody write any more. Opening the store anew ends all
  // branches and brings it back.
  Status check_store() const;

 private:
  class Impl;
  explicit Waypoint(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sf::waypoint
