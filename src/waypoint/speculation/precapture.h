// Precapture: captures a branch before a checkpoint is requested. The branch stays stopped from
// then on, so a later checkpoint can use the capture (docs/decisions/0016-captures-ahead.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "os/fd.h"
#include "os/poller.h"
#include "waypoint/file_layer_store.h"
#include "waypoint/file_stamp.h"
#include "waypoint/keeper/live_branch.h"

namespace sf::waypoint {

class Precapture {
 public:
  // `directory` is on the store's file system, `file_layer` is a name. This object makes both; they
  // are removed with the keeper at the latest. The poller calls `on_killed` if a held
  // process is killed; it must drop the capture.
  Precapture(std::string directory, std::string file_layer, FileLayerStore& file_layers,
             os::Poller& poller, std::function<void()> on_killed)
      : directory_(std::move(directory)),
        file_layer_(std::move(file_layer)),
        file_layers_(file_layers),
        poller_(poller),
        on_killed_(std::move(on_killed)) {}
  Precapture(const Precapture&) = delete;
  Precapture& operator=(const Precapture&) = delete;
  ~Precapture() { forget(); }

  // Captures the branch and keeps it stopped. Fails with kUnsupported if the branch cannot be kept
  // stopped, and with kBusy if that is so at the moment. Requires: as LiveBranch::capture();
  // `branch` outlives the precapture, up to drop() or hand_over().
  Status make(LiveBranch& branch);
  bool stands() const { return state_.has_value(); }
  // Requires: stands().
  const std::optional<StateFingerprint>& fingerprint() const { return state_->fingerprint; }
  // Whether a checkpoint taken now would be equal: no held thread ran, and no process changed a
  // file of the branch. Requires: stands().
  bool is_still_true(const LiveBranch& branch) const;
  // Resumes the branch and moves image and files to the checkpoint. After a failure nothing was
  // moved, and the caller must capture the branch as usual. Requires: stands().
  Result<CapturedState> hand_over(LiveBranch& branch, const std::string& image_dir,
                                  const std::string& sealed_file_layer);
  // Discards the precapture and resumes the branch.
  void drop(LiveBranch& branch);
  // Removes the files of a discarded precapture, which may take a moment.
  Status clear();

 private:
  void watch(const LiveBranch& branch);
  void forget();

  std::string directory_;
  std::string file_layer_;
  FileLayerStore& file_layers_;
  os::Poller& poller_;
  std::function<void()> on_killed_;
  std::optional<CapturedState> state_;
  std::optional<FileStamp> files_;     // the branch's files at the capture
  std::vector<os::UniqueFd> watched_;  // pidfds of the held processes
  bool has_left_ = false;
};

}  // namespace sf::waypoint
