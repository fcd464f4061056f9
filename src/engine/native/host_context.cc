#include "engine/native/host_context.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/native/process/posix_timers.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kMaxList = 64U << 20U;

Result<std::string> read_from_start(int fd) {
  if (::lseek(fd, 0, SEEK_SET) != 0) return os::last_error("reading the branch's mounts");
  std::string text;
  SF_TRY_ASSIGN(bool more, os::read_available(fd, text, kMaxList));
  if (more) return fail(ErrorCode::kCorrupt, "the branch has more mounts than expected");
  return text;
}

}  // namespace

Status HostContext::add_to(TreeFacts& facts, pid_t init, bool moved) {
  if (!own_) {
    TreeFacts own;
    own.timer_ids = can_choose_timer_ids();
    own.own_namespaces = namespaces_of("/proc/self");
    SF_TRY_ASSIGN(std::string score, os::read_file("/proc/self/oom_score_adj"));
    own.own_oom_score_adj = std::atoi(score.c_str());
    own_ = std::move(own);
  }
  SF_TRY(read_mounts(init, moved));
  facts.timer_ids = own_->timer_ids;
  facts.own_namespaces = own_->own_namespaces;
  facts.own_oom_score_adj = own_->own_oom_score_adj;
  facts.mounts = mounts_;
  return Ok{};
}

// poll() reports whether the list has changed since it was last read or polled.
Status HostContext::read_mounts(pid_t init, bool moved) {
  bool is_new = !mount_list_.valid();
  if (is_new) {
    SF_TRY_ASSIGN(mount_list_,
                  os::open_file("/proc/" + std::to_string(init) + "/mountinfo", O_RDONLY));
  }
  pollfd changed{mount_list_.get(), POLLPRI, 0};
  if (::poll(&changed, 1, 0) < 0) return os::last_error("looking at the branch's mounts");
  if (!is_new && !moved && (changed.revents & (POLLPRI | POLLERR)) == 0) return Ok{};
  SF_TRY_ASSIGN(std::string text, read_from_start(mount_list_.get()));
  mounts_ = parse_mounts(text);
  return Ok{};
}

}  // namespace sf::waypoint::native
