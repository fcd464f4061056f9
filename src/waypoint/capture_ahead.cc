#include "waypoint/capture_ahead.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/file.h"
#include "os/tree.h"

namespace sf::waypoint {
namespace {

// Proving that so many files are unchanged takes about as long as an ordinary capture.
constexpr std::size_t kMaxFiles = 4000;

Error cannot_be_proven() {
  return fail(ErrorCode::kUnsupported,
              "the branch changed too many files to prove later that they are the same");
}

Error changed_too_lately() {
  return fail(ErrorCode::kBusy, "a file was changed so lately that its next change might not show");
}

}  // namespace

Status CaptureAhead::make(LiveBranch& branch) {
  SF_TRY(clear());
  if (!FileStamp::of(branch.upper(), kMaxFiles)) return cannot_be_proven();
  has_left_ = true;
  SF_TRY(os::make_directories(directory_));
  std::optional<StateMark> mark = branch.mark();
  auto state = branch.capture({directory_, unit_, std::move(mark), true}, {});
  if (!state) {
    (void)clear();
    return std::move(state).error();
  }
  files_ = FileStamp::of(branch.upper(), kMaxFiles);
  if (!files_ || !files_->shows_later_changes()) {
    const bool is_too_early = files_.has_value();
    files_.reset();
    (void)branch.release();
    (void)clear();
    return is_too_early ? changed_too_lately() : cannot_be_proven();
  }
  state_ = std::move(*state);
  watch(branch);
  return Ok{};
}

bool CaptureAhead::is_still_true(const LiveBranch& branch) const {
  return branch.held_still() && FileStamp::of(branch.upper(), kMaxFiles) == files_;
}

// Whoever is killed while all stand still is missed by nobody but us: its parent cannot look.
void CaptureAhead::watch(LiveBranch& branch) {
  for (pid_t pid : branch.held()) {
    os::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (process.get() < 0) continue;  // it had ended before
    if (poller_.add(process.get(), EPOLLIN, [this, &branch](std::uint32_t) { drop(branch); }))
      watched_.push_back(std::move(process));
  }
}

void CaptureAhead::forget() {
  state_.reset();
  files_.reset();
  for (const os::UniqueFd& process : watched_) poller_.remove(process.get());
  watched_.clear();
}

Result<CapturedState> CaptureAhead::hand_over(LiveBranch& branch, const std::string& image_dir,
                                              const std::string& sealed_unit) {
  Stopwatch stopped;
  CapturedState state = std::move(*state_);
  forget();
  SF_TRY(branch.release());
  state.stopped = stopped.elapsed();
  SF_TRY(os::exchange_paths(directory_, image_dir));
  Status moved = units_.rename(unit_, sealed_unit);
  if (!moved) {
    SF_TRY(os::exchange_paths(directory_, image_dir));
    return std::move(moved).error();
  }
  return state;
}

void CaptureAhead::drop(LiveBranch& branch) {
  if (!stands()) return;
  forget();
  (void)branch.release();  // who was killed meanwhile is found out by whoever needs it
}

Status CaptureAhead::clear() {
  if (!has_left_ || stands()) return Ok{};
  // Not written into again: later images may share the pages of this one.
  SF_TRY(os::remove_tree(directory_));
  SF_TRY(units_.remove(unit_));
  has_left_ = false;
  return Ok{};
}

}  // namespace sf::waypoint
