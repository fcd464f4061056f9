// CaptureAhead: a branch that was captured before anybody asked for it. It stands still since then,
// so the capture is what a checkpoint would find, however much later somebody asks
// (docs/decisions/0016-captures-ahead.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "os/fd.h"
#include "os/poller.h"
#include "waypoint/file_stamp.h"
#include "waypoint/live_branch.h"
#include "waypoint/unit_store.h"

namespace sf::waypoint {

class CaptureAhead {
 public:
  // `directory`: on the store's file system; `unit`: a name for the files. Both are made here, and
  // removed with the keeper at the latest.
  CaptureAhead(std::string directory, std::string unit, UnitStore& units, os::Poller& poller)
      : directory_(std::move(directory)), unit_(std::move(unit)), units_(units), poller_(poller) {}
  CaptureAhead(const CaptureAhead&) = delete;
  CaptureAhead& operator=(const CaptureAhead&) = delete;
  ~CaptureAhead() { forget(); }

  // kUnsupported: the branch cannot be kept still; kBusy: just now. Requires:
  // LiveBranch::capture()'s; `branch` is there until this is dropped or handed over.
  Status make(LiveBranch& branch);
  bool stands() const { return state_.has_value(); }
  // Requires: stands().
  const std::optional<StateMark>& mark() const { return state_->mark; }
  // Proves that the capture is what a checkpoint would find now: no held thread ran, and no file of
  // the branch changed, whoever might have done so. Requires: stands().
  bool is_still_true(const LiveBranch& branch) const;
  // The branch goes on; image and files are then where the checkpoint wants them. After a failure
  // the branch has to be captured as usual: nothing was put there. Requires: stands().
  Result<CapturedState> hand_over(LiveBranch& branch, const std::string& image_dir,
                                  const std::string& sealed_unit);
  // It is no longer true: the branch goes on.
  void drop(LiveBranch& branch);
  // Removes what a dropped one left, which may take a moment.
  Status clear();

 private:
  void watch(LiveBranch& branch);
  void forget();

  std::string directory_;
  std::string unit_;
  UnitStore& units_;
  os::Poller& poller_;
  std::optional<CapturedState> state_;
  std::optional<FileStamp> files_;     // of the branch when it was captured
  std::vector<os::UniqueFd> watched_;  // pidfds of those that stand
  bool has_left_ = false;
};

}  // namespace sf::waypoint
