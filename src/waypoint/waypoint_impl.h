// What a Waypoint consists of. Only waypoint.cc (lives of branches and checkpoints) and
// waypoint_commands.cc (talking to a live branch) include this.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "os/fd.h"
#include "waypoint/branch_table.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/foresight.h"
#include "waypoint/keeper_pool.h"
#include "waypoint/shell_client.h"
#include "waypoint/spare_draft.h"
#include "waypoint/store_watch.h"
#include "waypoint/waypoint.h"

namespace sf::waypoint {

class Waypoint::Impl {
 public:
  Impl(WaypointOptions options, os::UniqueFd lock, std::unique_ptr<UnitStore> units,
       CheckpointStore checkpoints, KeeperPrograms programs, std::string init_binary)
      : options_(std::move(options)),
        lock_(std::move(lock)),
        units_(std::move(units)),
        checkpoints_(std::move(checkpoints)),
        drafts_(checkpoints_),
        branches_(options_.store_dir),
        init_binary_(std::move(init_binary)),
        pool_(std::move(programs), *units_),
        foresight_(pool_, trees_ahead()) {}

  static Result<std::unique_ptr<Impl>> open(WaypointOptions options);

  Result<BranchId> start(const BranchConfig& wanted);
  Result<BranchId> start_from(const CheckpointId& checkpoint);
  Result<CheckpointInfo> checkpoint(const BranchId& branch);
  Result<CheckpointInfo> seal(const BranchId& branch);
  Status restore(const BranchId& branch, const CheckpointId& checkpoint);
  std::vector<Result<BranchId>> fork(const CheckpointId& checkpoint, std::size_t count);
  Result<BranchId> fork_over(const CheckpointId& checkpoint, const BranchId& files_of);
  Status end(const BranchId& branch);
  Status remove(const CheckpointId& checkpoint);
  void end_all();
  Result<std::string> digest(const BranchId& branch, const DigestRequest& request);
  Result<BranchPids> pids(const BranchId& branch);
  Result<std::string> changed_files(const BranchId& branch) const;
  std::vector<BranchInfo> branches();
  std::vector<CheckpointInfo> checkpoints();
  std::vector<std::string> ready() { return foresight_.ready(); }
  void settle() { pool_.settle(); }
  Result<ShellClient> shell(const BranchId& branch);
  std::string units_kind() const { return units_->kind(); }
  Status check_store() const { return units_->check_writable(); }

 private:
  // None where each would need a whole copy of the branch's files, and none in a test of other
  // faults than theirs.
  std::size_t trees_ahead() const {
    const bool disturbs_test = !options_.faults.empty() && !options_.faults.ahead;
    return units_->kind() == "copy" || disturbs_test ? 0 : options_.trees_ahead;
  }
  // Whether a branch may be captured before that is asked for; where trees are made ahead, too.
  bool captures_ahead(const BranchConfig& config) const {
    return trees_ahead() > 0 && options_.faults.empty() && config.network == Network::kNone;
  }
  // Whether somebody has taken checkpoints of late.
  bool is_capturing() const { return branches_without_capture_ < kMostWithoutCapture; }
  Status find_live_branches();
  Result<std::string> template_for(const std::string& root);
  enum class When { kWanted, kAhead };
  // A keeper that has done what it was asked for; nobody's yet.
  struct Occupied {
    KeeperHandle keeper;
    wire::Frame answer;
  };
  Result<Occupied> occupy_keeper(const wire::Frame& request, Network network,
                                 std::string_view engine);
  // A fresh branch over a copy of `unit`.
  Result<BranchId> start_on(const std::string& unit, const BranchConfig& config,
                            std::optional<CheckpointId> head);
  std::optional<Manifest> base_for(const std::optional<CheckpointId>& head);
  // From here on the checkpoint exists; then the branch's record names it.
  Result<CheckpointInfo> publish(CheckpointDraft draft, Manifest manifest, LiveRecord& live);
  // What a keeper is sent to bring the checkpoint back.
  wire::Frame restore_request(const Manifest& manifest, const std::string& unit, When when) const;
  // With the faults that are planned for it.
  wire::Json with_faults(wire::Json header, When when = When::kWanted) const;
  // The checkpoint's tree in a keeper, brought back ahead of time. Nothing: there is none.
  std::optional<Occupied> foreseen(const CheckpointId& checkpoint);
  void expect(const CheckpointId& checkpoint, const Manifest& manifest);
  // A new keeper with the checkpoint's tree in it; nobody's branch yet. `unit`: over these files
  // instead of its own.
  Result<LiveRecord> revive(const BranchId& branch, const CheckpointId& checkpoint,
                            const std::string& unit = {});
  Result<BranchId> publish_fork(const LiveRecord& live);
  Result<BranchId> fork_one(const CheckpointId& checkpoint);

  static constexpr int kMostWithoutCapture = 8;

  WaypointOptions options_;
  os::UniqueFd lock_;
  std::unique_ptr<UnitStore> units_;
  StoreWatch watch_;
  std::mutex mutex_;
  CheckpointStore checkpoints_;  // guarded by mutex_
  SpareDraft drafts_;
  BranchTable branches_;
  std::string init_binary_;
  KeeperPool pool_;
  Foresight foresight_;
  // Brought back since the last checkpoint was taken.
  std::atomic<int> branches_without_capture_ = kMostWithoutCapture;
};

}  // namespace sf::waypoint
