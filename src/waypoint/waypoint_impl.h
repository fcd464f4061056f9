// The implementation of Waypoint. Only its own sources include this: waypoint.cc (start,
// checkpoint, end), waypoint_restore.cc (restore and fork), waypoint_commands.cc (requests to a
// live branch).
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
  // 0 if each prerestore would copy all files of the branch, or if a test plans faults other than
  // in prerestores.
  std::size_t prerestores() const {
    const bool disturbs_test = !options_.faults.empty() && !options_.faults.prerestore;
    return file_layers_->kind() == "copy" || disturbs_test ? 0 : options_.prerestores;
  }
  // Whether precapture is allowed for the branch. Requires that prerestores are allowed, too.
  bool precaptures(const BranchConfig& config) const {
    return prerestores() > 0 && options_.faults.empty() && config.network == Network::kNone;
  }
  // Whether the caller has taken a checkpoint recently.
  bool is_capturing() const { return branches_without_capture_ < kMostWithoutCapture; }
  Status find_live_branches();
  Result<std::string> template_for(const std::string& root);
  enum class When { kWanted, kPrerestore };
  // A keeper with a tree that is not yet published as a branch.
  struct Occupied {
    KeeperHandle keeper;
    wire::LiveReply live;
  };
  enum class Spares { kAwaited, kIfReady };
  Result<Occupied> occupy_keeper(const wire::Frame& request, Network network,
                                 std::string_view engine, Spares spares);
  // A new branch over a copy of `file_layer`.
  Result<BranchId> start_on(const std::string& file_layer, const BranchConfig& config,
                            std::optional<CheckpointId> head);
  // Publishes the keeper's tree as `branch`; on failure ends the keeper.
  Result<BranchId> publish(const Occupied& occupied, const BranchId& branch,
                           const BranchConfig& config, const std::optional<CheckpointId>& head,
                           const std::string& template_file_layer = {});
  std::optional<Manifest> base_for(const std::optional<CheckpointId>& head);
  // Publishes the checkpoint, then records it as the branch's head.
  Result<CheckpointInfo> publish(CheckpointDraft draft, Manifest manifest, LiveRecord& live);
  // The request to a keeper to restore the checkpoint.
  wire::Frame restore_request(const Manifest& manifest, const std::string& file_layer,
                              When when) const;
  // The faults planned for a keeper.
  wire::PlannedFaults faults_of(When when) const;
  // Resumes the prerestored tree of the checkpoint; nullopt if there is none.
  std::optional<Occupied> foreseen(const CheckpointId& checkpoint);
  void expect(const CheckpointId& checkpoint, const Manifest& manifest);
  // Restores the checkpoint in a new keeper and publishes it as `branch`: restore and fork both use
  // this. `file_layer`: restore over these files instead of the checkpoint's own.
  Result<BranchId> restore_as(const BranchId& branch, const CheckpointId& checkpoint,
                              const std::string& file_layer, Spares spares = Spares::kAwaited);
  // Ends a replaced or removed tree in the background.
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
  // Number of restores since the last checkpoint.
  std::atomic<int> branches_without_capture_ = kMostWithoutCapture;
};

}  // namespace sf::waypoint
