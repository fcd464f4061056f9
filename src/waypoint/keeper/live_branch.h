// LiveBranch: one live session tree inside the keeper: a hosted shell with files of its own, which
// an engine can capture. Made either fresh from a base root or from a checkpoint; captured any
// number of times; ends with this object.
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
  ChangeGate& gate;             // to this branch
  std::string file_layer;       // the live file layer's name; made here, removed by the keeper
};

struct CaptureOrder {
  std::string image_dir;
  std::string sealed_file_layer;
  std::optional<StateFingerprint> fingerprint = {};  // fingerprint()
  bool hold = false;  // the branch stands still afterwards, until release()
};

class LiveBranch {
 public:
  static Result<std::unique_ptr<LiveBranch>> start(BranchParts parts, BranchConfig config,
                                                   const std::string& template_file_layer,
                                                   const FaultPlan& faults);
  // Stands still until resume(). `prerestore`: which may be any time later.
  static Result<std::unique_ptr<LiveBranch>> restore(BranchParts parts, BranchConfig config,
                                                     const std::string& sealed_file_layer,
                                                     const std::string& image_dir,
                                                     const CapturedState& state, bool prerestore,
                                                     const FaultPlan& faults);
  // Has what was restored go on. Once, before all that follows.
  Status resume(const FaultPlan& faults);

  ShellHost& host() { return host_; }
  pid_t init() const { return init_.pid(); }
  int init_pidfd() const { return init_.pidfd(); }
  // Ahead of the destructor, which waits until all have ended.
  void kill() const { (void)init_.signal(SIGKILL); }

  // Whether nobody would notice if it were kept still, as far as the last capture could tell.
  bool may_hold() const { return may_hold_; }

  // How all stands, if nothing moves and all of it can be seen into.
  std::optional<StateFingerprint> fingerprint();
  // When nothing but harmless commands came since `base`: what differs from it all the same.
  // Requires: `now` is fingerprint().
  std::optional<CapturedState> same_as(const StateFingerprint& base, const StateFingerprint& now);
  // Waypoint::digest(). `base`: the file layer that it is relative to. `waits`: it is known to
  // stand at its prompt.
  Result<std::string> digest(const DigestLimits& limits, const std::string& base, bool waits);
  // Requires: host().shell().at_rest().
  Result<CapturedState> capture(const CaptureOrder& order, const FaultPlan& faults);
  // Has what was held go on.
  Status release();
  // Those that stand still for it.
  std::vector<pid_t> held() const { return held_ ? held_->processes() : std::vector<pid_t>(); }
  // False: a held process ran, or ended, since the capture.
  bool held_still() const { return held_ && held_->has_not_run(); }
  // Where the files that it changed are kept.
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
  os::Child init_;  // PID 1 takes its whole namespace with it
  ShellHost host_;
  std::unique_ptr<HeldTree> held_;  // ends before init does
  std::optional<CatchUp> missed_;   // what the shell is told when it goes on
  bool may_hold_ = true;
  native::PosixQueues queues_;  // how fingerprint() sees them
  long fingerprinted_at_ = 0;   // how many commands there were at the last checkpoint
};

}  // namespace sf::waypoint
