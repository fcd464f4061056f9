// Precapture: a branch that was captured before anybody asked for it. It stands still since then,
// so the capture is what a checkpoint would find, however much later somebody asks
// (docs/decisions/0016-captures-ahead.md).
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
  // `directory`: on the store's file system; `file layer`: a name for the files. Both are made
  // here, and removed with the keeper at the latest. `on_killed`: called by the poller if a held
  // process is killed; it must drop what stands.
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

  // kUnsupported: the branch cannot be kept still; kBusy: just now. Requires:
  // LiveBranch::capture()'s; `branch` is there until this is dropped or handed over.
  Status make(LiveBranch& branch);
  bool stands() const { return state_.has_value(); }
  // Requires: stands().
  const std::optional<StateFingerprint>& fingerprint() const { return state_->fingerprint; }
  // Proves that the capture is what a checkpoint would find now: no held thread ran, and no file of
  // the branch changed, whoever might have done so. Requires: stands().
  bool is_still_true(const LiveBranch& branch) const;
  // The branch goes on; image and files are then where the checkpoint wants them. After a failure
  // the branch has to be captured as usual: nothing was put there. Requires: stands().
  Result<CapturedState> hand_over(LiveBranch& branch, const std::string& image_dir,
                                  const std::string& sealed_file_layer);
  // It is no longer true: the branch goes on.
  void drop(LiveBranch& branch);
  // Removes what a dropped one left, which may take a moment.
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
  std::optional<FileStamp> files_;     // of the branch when it was captured
  std::vector<os::UniqueFd> watched_;  // pidfds of those that stand
  bool has_left_ = false;
};

}  // namespace sf::waypoint
