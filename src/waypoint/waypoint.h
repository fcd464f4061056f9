// Waypoint: live terminal branches that can be checkpointed, restored and forked.
// Example (examples/branching/main.cc):
//
//   auto wp = Waypoint::open({.store_dir = argc > 1 ? argv[1] : "/var/lib/statefork"});
//   ...
//   BranchId main = wp->start({.root = "/"}).value();  // a live terminal over this machine's root
//   wp->exec(main, {.command = "cd /tmp; x=before; echo draft >plan; sleep 1000 &"}).value();
//   CheckpointId here = wp->checkpoint(main).value().id;
//   ...
//   if (auto back = wp->restore(main, here); !back)
//   ...
//   for (auto& fork : wp->fork(here, 3))  // three more live copies, isolated from each other
//
// Thread rules: one Waypoint may be used from many threads; calls on one branch are serialized by
// its keeper. One process owns a store at a time (kBusy otherwise). Branches outlive the process:
// open() finds them again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/branch_facts.h"
#include "base/command.h"
#include "base/id.h"
#include "base/input_events.h"
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
  std::string criu_path;   // empty: searched for (see doctor)
  std::string helper_dir;  // has waypoint-keeper, waypoint-init; empty: beside this program
  FileLayerKind file_layers =
      FileLayerKind::kAuto;                  // how files are kept; auto uses btrfs if the host can
  std::uint64_t store_bytes = 64ULL << 30U;  // upper bound of the store's own file system (sparse)
  // The number of prerestored trees, for all branches together; an idle shell takes 4 MB. Ignored
  // if files are kept by copying.
  std::size_t prerestores = 2;
  FaultPlan faults;  // tests only
};

struct CheckpointInfo {
  CheckpointId id;
  std::optional<CheckpointId> parent;
  BranchId branch;    // where it was taken
  std::string label;  // the branch's
  // The checkpoint that has the processes and files, if nothing had changed since. The base can be
  // removed like any other checkpoint; its data stays as long as others need it.
  std::optional<CheckpointId> base;
  std::uint64_t image_bytes = 0;
  microseconds took{0};     // whole checkpoint() call
  microseconds stopped{0};  // how long the tree was stopped for it
  // Set by checkpoint() only. `precaptured`: the state was captured before the call, and the tree
  // stayed stopped since. `facts`: the processes of the branch at the capture.
  bool precaptured = false;
  BranchFacts facts = {};
};

struct BranchInfo {
  BranchId id;
  BranchConfig config;
  std::optional<CheckpointId> head;  // the checkpoint it was last at
  pid_t keeper_pid = 0;
  bool alive = false;
  std::uint64_t requests = 0;  // requests sent to its keeper so far
};

// What a restore does with the old branch.
enum class OldBranch {
  kReplaced,  // the restored tree takes over its id; the old tree ends in the background
  // The restored tree becomes a new branch, and the old one lives until retire(). For callers with
  // their own record of the branches.
  kKept,
};

struct RestoreOptions {
  OldBranch old = OldBranch::kReplaced;
  // Restore over the current files of this live branch; if it is gone, over the checkpoint's own.
  // Files that the processes have open must be unchanged. Empty: the checkpoint's own files.
  BranchId files_of = {};
};

// The range of a digest, and its cost limits.
struct DigestRequest {
  std::optional<CheckpointId> since;  // nullopt: since the start from the base root
  wire::DigestLimits limits = {
      .max_files = 20'000, .max_bytes = 64U << 20U, .max_time = milliseconds(150)};
};

// The permanent processes of a branch, as pids of the caller's namespace.
struct BranchPids {
  pid_t init = 0;
  pid_t shell = 0;         // 0: no shell at the moment
  pid_t holder = 0;        // init, or the process with its descriptors for an ordinary user
  bool at_prompt = false;  // the shell waits for a command, and nothing runs beside it
};

class Waypoint {
 public:
  // Opens or creates the store, sweeps drafts and the remains of dead keepers, and reconnects to
  // live keepers.
  static Result<Waypoint> open(WaypointOptions options);
  Waypoint(Waypoint&&) noexcept;
  Waypoint& operator=(Waypoint&&) noexcept;
  ~Waypoint();  // branches stay alive; to end them, call end_all() first

  Result<BranchId> start(const BranchConfig& config);
  Result<Observation> exec(const BranchId& branch, const ExecRequest& request,
                           const OutputSink& sink = {});
  Result<SideObservation> side_exec(const BranchId& branch, const SideRequest& request);
  // Types all bytes or none. At most 4 MiB can wait until the program in the terminal reads them.
  Result<TypedKeys> send_keys(const BranchId& branch, std::string_view bytes);
  // The same for keys, mouse and pastes, encoded for the current modes of the terminal.
  Result<TypedKeys> send_input(const BranchId& branch, const InputEvents& input);
  Result<ScreenText> screen(const BranchId& branch, std::size_t scrollback_lines = 0);
  Status resize(const BranchId& branch, WindowSize size);
  // The size of its terminal, without a request to the keeper.
  Result<WindowSize> window(const BranchId& branch);
  // Replaces a file, or creates one owned by the branch's user; at most kMaxFileWrite bytes.
  // Processes in the branch see either the old or the new content.
  Status write_file(const BranchId& branch, const std::string& path, std::string_view content);
  // The same requests for callers that send several.
  Result<ShellClient> shell(const BranchId& branch);
  // Watches the terminal: first its current screen, then everything it prints.
  Result<TerminalWatch> watch(const BranchId& branch);

  // The branch continues unharmed on success and on failure. The error names the objects that could
  // not be captured.
  Result<CheckpointInfo> checkpoint(const BranchId& branch);
  // Builds the new tree first, then replaces the old one in the branch. On failure the old tree
  // stays. Does not wait for the end of the old tree.
  Status restore(const BranchId& branch, const CheckpointId& checkpoint);
  // The same with options. Returns the restored branch. With OldBranch::kKept, `branch` may already
  // be gone.
  Result<BranchId> restore(const BranchId& branch, const CheckpointId& checkpoint,
                           const RestoreOptions& options);
  // Takes a checkpoint of the files only. Concurrent writes of processes may be missing in it.
  Result<CheckpointInfo> seal(const BranchId& branch);
  // Starts a new shell over the files of a checkpoint of any kind and age. The shell starts in `/`
  // if the configured working directory does not exist.
  Result<BranchId> start_from(const CheckpointId& checkpoint);
  // One entry per fork: a live branch or the error.
  std::vector<Result<BranchId>> fork(const CheckpointId& checkpoint, std::size_t count);

  // After a failure, another call of end() or remove() continues.
  Status end(const BranchId& branch);
  // The same without waiting: the branch is gone for all callers, and its tree ends soon
  // afterwards. Only a branch on the host's network is ended before the return, since other
  // branches may need its ports.
  Status retire(const BranchId& branch);
  void end_all();
  Status remove(const CheckpointId& checkpoint);
  // Retries the failed removals of end(), remove() and open(). Returns one line for each that
  // failed again.
  std::vector<std::string> retry_removals();

  // Digest of the changes since a checkpoint: files with content, mode and owner, and the shell's
  // state. Times and inode numbers are left out, so that two branches have equal digests if they
  // ran the same commands from that checkpoint. Requires: the last command was run with
  // always_fingerprint. Fails with kUnsupported if a process runs, if a state cannot be inspected,
  // or if the cost exceeds the limits.
  Result<std::string> digest(const BranchId& branch, const DigestRequest& request);

  Result<BranchFacts> facts(const BranchId& branch);
  // For inspecting a live branch from outside.
  Result<BranchPids> pids(const BranchId& branch);
  // The directory with the changes to the base root, as OverlayFS keeps them (upperdir).
  Result<std::string> changed_files(const BranchId& branch) const;

  std::vector<BranchInfo> branches() const;
  std::vector<CheckpointInfo> checkpoints() const;
  // Checkpoints with a prerestored tree.
  std::vector<CheckpointId> ready() const;
  // Waits for prerestores and for ending trees.
  void settle();
  // How the store keeps files: "btrfs" or "copy".
  std::string file_layers() const;
  // Fails if the store's file system has become read-only. Opening the store again ends all
  // branches and makes it writable.
  Status check_store() const;

 private:
  class Impl;
  explicit Waypoint(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sf::waypoint
