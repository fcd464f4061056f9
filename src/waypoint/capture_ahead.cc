#include "waypoint/capture_ahead.h"

#include "os/file.h"
#include "os/tree.h"

namespace sf::waypoint {

Status CaptureAhead::make(LiveBranch& branch) {
  // What an earlier one left may be shared with later ones: it is not written into.
  SF_TRY(os::remove_tree(directory_));
  SF_TRY(units_.remove(unit_));
  SF_TRY(os::make_directories(directory_));
  std::optional<StateMark> mark = branch.mark();
  SF_TRY_ASSIGN(state_, branch.capture({directory_, unit_, std::move(mark), true}, {}));
  return Ok{};
}

Result<CapturedState> CaptureAhead::hand_over(LiveBranch& branch, const std::string& image_dir,
                                              const std::string& sealed_unit) {
  Stopwatch stopped;
  CapturedState state = std::move(*state_);
  state_.reset();
  Status moved = os::exchange_paths(directory_, image_dir);
  if (moved) moved = units_.rename(unit_, sealed_unit);
  SF_TRY(branch.release());
  SF_TRY(std::move(moved));
  state.stopped = stopped.elapsed();
  return state;
}

void CaptureAhead::drop(LiveBranch& branch) {
  if (!stands()) return;
  state_.reset();
  (void)branch.release();  // who has been killed meanwhile is found out by whoever needs it
}

}  // namespace sf::waypoint
