#include "waypoint/speculation/precapture.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/directory_tree.h"
#include "os/file.h"

namespace sf::waypoint {
namespace {

// With more files, proving that they are unchanged takes about as long as a normal capture.
constexpr std::size_t kMaxFiles = 4000;

}  // namespace

Status Precapture::make(LiveBranch& branch) {
  SF_TRY(clear());
  std::optional<CapturedState> state;
  auto capture = [&]() -> Status {
    has_left_ = true;
    SF_TRY(os::make_directories(directory_));
    std::optional<StateFingerprint> fingerprint = branch.fingerprint();
    SF_TRY_ASSIGN(state,
                  branch.capture({directory_, file_layer_, std::move(fingerprint), true}, {}));
    return Ok{};
  };
  Result<FileStamp> files = FileStamp::around(capture, branch.upper(), kMaxFiles);
  if (!files) {
    if (state) (void)branch.release();
    (void)clear();
    return std::move(files).error();
  }
  files_ = std::move(*files);
  state_ = std::move(state);
  watch(branch);
  return Ok{};
}

bool Precapture::is_still_true(const LiveBranch& branch) const {
  return branch.held_still() && FileStamp::of(branch.upper(), kMaxFiles) == files_;
}

// If a held process is killed, its stopped parent cannot notice, so the keeper watches for that.
void Precapture::watch(const LiveBranch& branch) {
  for (pid_t pid : branch.held()) {
    os::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (process.get() < 0) continue;  // ended before the capture
    if (poller_.add(process.get(), EPOLLIN, [this](std::uint32_t) { on_killed_(); }))
      watched_.push_back(std::move(process));
  }
}

void Precapture::forget() {
  state_.reset();
  files_.reset();
  for (const os::UniqueFd& process : watched_) poller_.remove(process.get());
  watched_.clear();
}

Result<CapturedState> Precapture::hand_over(LiveBranch& branch, const std::string& image_dir,
                                            const std::string& sealed_file_layer) {
  Stopwatch stopped;
  CapturedState state = std::move(*state_);
  forget();
  SF_TRY(branch.release());
  state.stopped = stopped.elapsed();
  SF_TRY(os::exchange_paths(directory_, image_dir));
  Status moved = file_layers_.rename(file_layer_, sealed_file_layer);
  if (!moved) {
    SF_TRY(os::exchange_paths(directory_, image_dir));
    return std::move(moved).error();
  }
  return state;
}

void Precapture::drop(LiveBranch& branch) {
  if (!stands()) return;
  forget();
  (void)branch.release();  // the next user detects a killed process
}

Status Precapture::clear() {
  if (!has_left_ || stands()) return Ok{};
  // Do not reuse the directory: later images may share pages with this one.
  SF_TRY(os::remove_tree(directory_));
  SF_TRY(file_layers_.remove(file_layer_));
  has_left_ = false;
  return Ok{};
}

}  // namespace sf::waypoint
