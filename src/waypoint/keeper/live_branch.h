// LiveBranch: a live branch inside the keeper: a hosted shell with its own files, which an engine
// can capture. Made from a base root or from a checkpoint. The destructor ends its processes.
#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/engine.h"
#include "os/poller.h"
#include "os/process.h"
#include "shell/branch_config.h"
#include "shell/change_gate.h"
#include "shell/init/cgroup_forker.h"
#include "shell/shell_host.h"
#include "waypoint/fault_plan.h"
#include "waypoint/file_layer_store.h"
#include "waypoint/keeper/captured_state.h"
#include "waypoint/keeper/keeper_namespaces.h"
#include "waypoint/layer_digest.h"
#include "waypoint/speculation/fingerprint.h"

namespace sf::waypoint {

struct BranchParts {
  FileLayerStore& file_layers;
  ProcessEngine& engine;
  os::Poller& poller;
  CgroupForker& cgroup_forker;  // for its init
  ChangeGate& gate;             // requests to this branch
  std::string file_layer;       // name of the live file layer; made here, removed by the keeper
};

struct CaptureOrder {
  std::string image_dir;
  std::string sealed_file_layer;
  std::optional<StateFingerprint> fingerprint = {};  // fingerprint()
  bool hold = false;                                 // keep the branch stopped until release()
};

class LiveBranch {
 public:
  static Result<std::unique_ptr<LiveBranch>> start(BranchParts parts, BranchConfig config,
                                                   const std::string& template_file_layer,
                                                   const FaultPlan& faults);
  // The tree is stopped until resume(). `prerestore`: resume() may come at any time later.
  static Result<std::unique_ptr<LiveBranch>> restore(BranchParts parts, BranchConfig config,
                                                     const std::string& sealed_file_layer,
                                                     const std::string& image_dir,
                                                     const CapturedState& state, bool prerestore,
                                                     const FaultPlan& faults);
  // Resumes a restored tree. Call it once, before the functions below.
  Status resume(const FaultPlan& faults);

  ShellHost& host() { return host_; }
  pid_t init() const { return init_.pid(); }
  int init_pidfd() const { return init_.pidfd(); }
  // Kills init. The destructor waits for the end of all processes.
  void kill() const { (void)init_.signal(SIGKILL); }

  // Whether the branch can be kept stopped unnoticed, according to the last capture.
  bool may_hold() const { return may_hold_; }

  // The current fingerprint; nullopt if a process runs or a state cannot be inspected.
  std::optional<StateFingerprint> fingerprint();
  // If only commands without side effects ran since `base`: the state that differs from `base`
  // anyway. Requires: `now` is fingerprint().
  std::optional<CapturedState> same_as(const StateFingerprint& base, const StateFingerprint& now);
  // Waypoint::digest(). `base`: the file layer to compare with. `waits`: the shell is known to be
  // at its prompt.
  Result<std::string> digest(const DigestLimits& limits, const std::string& base, bool waits);
  // Requires: host().shell().at_rest().
  Result<CapturedState> capture(const CaptureOrder& order, const FaultPlan& faults);
  // Resumes a held tree.
  Status release();
  // The held processes.
  std::vector<pid_t> held() const { return held_ ? held_->processes() : std::vector<pid_t>(); }
  // False: a held process ran, or ended, since the capture.
  bool held_still() const { return held_ && held_->has_not_run(); }
  // The directory of its changed files.
  std::string upper() const { return parts_.file_layers.paths(parts_.file_layer).upper; }

 private:
  LiveBranch(BranchParts parts, BranchConfig config)
      : parts_(std::move(parts)),
        host_(parts_.poller, std::move(config), kRootMount, parts_.gate) {}

  const BranchConfig& config() const { return host_.config(); }
  Status make_files(const std::string& from_file_layer);
  Status start_processes();
  void watch_for_looks();
  bool waits_at_prompt();
  FingerprintedBranch as_fingerprinted() const;

  BranchParts parts_;
  os::Child init_;  // the end of PID 1 ends its whole namespace
  ShellHost host_;
  std::unique_ptr<HeldTree> held_;  // ends before init does
  std::optional<CatchUp> missed_;   // what the shell gets when it is resumed
  bool may_hold_ = true;
  native::PosixQueues queues_;  // used by fingerprint()
  long fingerprinted_at_ = 0;   // number of commands at the last checkpoint
};

}  // namespace sf::waypoint
