// CaptureAhead: a branch that was captured before anybody asked for it. It stands still since then,
// so the capture is what a checkpoint would find, however much later somebody asks
// (docs/decisions/0016-captures-ahead.md).
#pragma once

#include <optional>
#include <string>

#include "waypoint/live_branch.h"
#include "waypoint/unit_store.h"

namespace sf::waypoint {

class CaptureAhead {
 public:
  // `directory`: on the store's file system; `unit`: a name for the files. Both are made here and
  // removed with the keeper.
  CaptureAhead(std::string directory, std::string unit, UnitStore& units)
      : directory_(std::move(directory)), unit_(std::move(unit)), units_(units) {}

  // kUnsupported: the branch cannot be kept still. Requires: LiveBranch::capture()'s.
  Status make(LiveBranch& branch);
  bool stands() const { return state_.has_value(); }
  // Requires, both: stands().
  const std::optional<StateMark>& mark() const { return state_->mark; }
  // Puts image and files where the checkpoint wants them, and lets the branch go on.
  Result<CapturedState> hand_over(LiveBranch& branch, const std::string& image_dir,
                                  const std::string& sealed_unit);
  // It is no longer true: the branch goes on.
  void drop(LiveBranch& branch);

 private:
  std::string directory_;
  std::string unit_;
  UnitStore& units_;
  std::optional<CapturedState> state_;
};

}  // namespace sf::waypoint
