// What a Waypoint consists of. Only its own sources include this: waypoint.cc (lives of branches
// and checkpoints), waypoint_restore.cc (restore and fork), waypoint_commands.cc (talking to a live
// branch).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "os/fd.h"
#include "shell/shell_client.h"
#include "waypoint/branch_table.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/keeper/keeper_pool.h"
#include "waypoint/speculation/prerestore.h"
#include "waypoint/speculation/spare_draft.h"
#include "waypoint/store_watch.h"
#include "waypoint/waypoint.h"

namespace sf::waypoint {

class Waypoint::Impl {
 public:
  Impl(WaypointOptions options, os::UniqueFd lock, std::unique_ptr<FileLayerStore> file_layers,
       CheckpointStore checkpoints, KeeperPrograms programs, std::string init_binary)
      : options_(std::move(options)),
        lock_(std::move(lock)),
        file_layers_(std::move(file_layers)),
        checkpoints_(std::move(checkpoints)),
        drafts_(checkpoints_),
        branches_(options_.store_dir),
        init_binary_(std::move(init_binary)),
        pool_(std::move(programs), *file_layers_),
        prerestore_(pool_, prerestores()) {}

  static Result<std::unique_ptr<Impl>> open(WaypointOptions options);

  Result<BranchId> start(const BranchConfig& wanted);
  Result<BranchId> start_from(const CheckpointId& checkpoint);
  Result<CheckpointInfo> checkpoint(const BranchId& branch);
  Result<CheckpointInfo> seal(const BranchId& branch);
  Result<BranchId> restore(const BranchId& branch, const CheckpointId& checkpoint,
                           const RestoreOptions& options);
  std::vector<Result<BranchId>> fork(const CheckpointId& checkpoint, std::size_t count);
  Status end(const BranchId& branch);
  Status retire(const BranchId& branch);
  Status remove(const CheckpointId& checkpoint);
  std::vector<std::string> retry_removals() { return checkpoints_.removals().retry(); }
  void end_all();
  Result<std::string> digest(const BranchId& branch, const DigestRequest& request);
  Result<BranchPids> pids(const BranchId& branch);
  Result<std::string> changed_files(const BranchId& branch) const;
  std::vector<BranchInfo> branches();
  std::vector<CheckpointInfo> checkpoints();
  std::vector<std::string> ready() { return prerestore_.ready(); }
  void settle() { pool_.settle(); }
  Result<ShellClient> shell(const BranchId& branch);
  Status resize(const BranchId& branch, WindowSize size);
  Result<WindowSize> window(const BranchId& branch) const { return branches_.window(branch); }
  std::string units_kind() const { return file_layers_->kind(); }
  Status check_store() const { return file_layers_->check_writable(); }

 private:
  // None where each would need a whole copy of the branch's files, and none in a test of other
  // faults than theirs.
  std::size_t prerestores() const {
    const bool disturbs_test = !options_.faults.empty() && !options_.faults.prerestore;
    return file_layers_->kind() == "copy" || disturbs_test ? 0 : options_.prerestores;
  }
  // Whether a branch may be captured before that is asked for; where trees are made ahead, too.
  bool precaptures(const BranchConfig& config) const {
    return prerestores() > 0 && options_.faults.empty() && config.network == Network::kNone;
  }
  // Whether somebody has taken checkpoints of late.
  bool is_capturing() const { return branches_without_capture_ < kMostWithoutCapture; }
  Status find_live_branches();
  Result<std::string> template_for(const std::string& root);
  enum class When { kWanted, kPrerestore };
  // A keeper that has done what it was asked for; nobody's yet.
  struct Occupied {
    KeeperHandle keeper;
    wire::LiveReply live;
  };
  enum class Spares { kAwaited, kIfReady };
  Result<Occupied> occupy_keeper(const wire::Frame& request, Network network,
                                 std::string_view engine, Spares spares);
  // A fresh branch over a copy of `file layer`.
  Result<BranchId> start_on(const std::string& file_layer, const BranchConfig& config,
                            std::optional<CheckpointId> head);
  // Makes it a branch, or ends it.
  Result<BranchId> publish(const Occupied& occupied, const BranchId& branch,
                           const BranchConfig& config, const std::optional<CheckpointId>& head,
                           const std::string& template_file_layer = {});
  std::optional<Manifest> base_for(const std::optional<CheckpointId>& head);
  // From here on the checkpoint exists; then the branch's record names it.
  Result<CheckpointInfo> publish(CheckpointDraft draft, Manifest manifest, LiveRecord& live);
  // What a keeper is sent to bring the checkpoint back.
  wire::Frame restore_request(const Manifest& manifest, const std::string& file_layer,
                              When when) const;
  // Those that are planned for a keeper's work.
  wire::PlannedFaults faults_of(When when) const;
  // The checkpoint's tree in a keeper, brought back ahead of time. Nothing: there is none.
  std::optional<Occupied> foreseen(const CheckpointId& checkpoint);
  void expect(const CheckpointId& checkpoint, const Manifest& manifest);
  // The checkpoint's tree in a new keeper, published as `branch`: the one implementation of restore
  // and fork. `file layer`: over these files instead of its own.
  Result<BranchId> restore_as(const BranchId& branch, const CheckpointId& checkpoint,
                              const std::string& file_layer, Spares spares = Spares::kAwaited);
  // Ends a tree whose record is gone, or names another keeper by now.
  void end_later(const LiveRecord& live);

  static constexpr int kMostWithoutCapture = 8;

  WaypointOptions options_;
  os::UniqueFd lock_;
  std::unique_ptr<FileLayerStore> file_layers_;
  StoreWatch watch_;
  std::mutex mutex_;
  CheckpointStore checkpoints_;  // guarded by mutex_
  SpareDraft drafts_;
  BranchTable branches_;
  std::string init_binary_;
  KeeperPool pool_;
  Prerestore prerestore_;
  // Brought back since the last checkpoint was taken.
  std::atomic<int> branches_without_capture_ = kMostWithoutCapture;
};

}  // namespace sf::waypoint
