#include "waypoint/btrfs_image.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "base/scope_exit.h"
#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "waypoint/host/host_programs.h"
#include "waypoint/image_plan.h"

namespace sf::waypoint {
namespace {

constexpr milliseconds kShortTimeout{20};
constexpr milliseconds kLater{250};
constexpr auto kDiscardPause = seconds(1);
constexpr std::uint64_t kWorthDiscarding = 16ULL << 20U;
constexpr std::uint64_t kBlock = 512;  // the unit of st_blocks, on every file system

// On a copy-on-write host, each overwrite would need new space.
void overwrite_in_place(int fd) {
  int flags = 0;
  if (::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_NOCOW_FL;
  (void)::ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

Status set_size(const std::string& path, std::uint64_t bytes) {
  if (::truncate(path.c_str(), static_cast<off_t>(bytes)) != 0)
    return os::last_error("sizing " + path);
  return Ok{};
}

}  // namespace

Status BtrfsImage::create() const {
  SF_TRY_ASSIGN(std::string mkfs, find_mkfs_btrfs());
  std::string draft = path_ + ".draft";
  {
    SF_TRY_ASSIGN(os::UniqueFd file, os::open_file(draft, O_RDWR | O_CREAT | O_TRUNC, 0600));
    overwrite_in_place(file.get());
  }
  ScopeExit remove([&] { ::unlink(draft.c_str()); });
  SF_TRY(set_size(draft, std::min(most_, os::kLeastBtrfsSize)));
  SF_TRY_ASSIGN(os::Child child,
                os::spawn({.argv = {mkfs, "-q", "-f", "-m", "dup", "-d", "single", draft},
                           .env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}}));
  SF_TRY_ASSIGN(os::ExitStatus status, child.wait(Deadline::after(seconds(60))));
  if (status.shell_code() != 0)
    return fail(ErrorCode::kUnsupported, "mkfs.btrfs " + status.text() + " for " + draft,
                "set store_bytes to at least 128 MiB");
  remove.dismiss();
  return os::rename_path(draft, path_);
}

Result<milliseconds> BtrfsImage::fit(const os::LoopDevice& device, int root) {
  SF_TRY_ASSIGN(os::BtrfsSpace space, os::btrfs_space(root));
  struct stat image {};
  struct statvfs host {};
  if (::stat(path_.c_str(), &image) != 0) return os::last_error("looking at " + path_);
  SF_TRY(discard_if_freed(space, static_cast<std::uint64_t>(image.st_blocks) * kBlock, root));
  if (::stat(path_.c_str(), &image) != 0 || ::statvfs(path_.c_str(), &host) != 0)
    return os::last_error("looking at " + path_);
  const ImagePlan plan =
      plan_image({.host_bytes = std::uint64_t{host.f_blocks} * host.f_frsize,
                  .host_free = std::uint64_t{host.f_bavail} * host.f_frsize,
                  .most = most_,
                  .size = space.size,
                  .chunk_end = space.chunk_end,
                  .backed = static_cast<std::uint64_t>(image.st_blocks) * kBlock});
  if (plan.size < space.size) SF_TRY(resize(device, root, space.size, plan.size));
  if (plan.allocate > 0) SF_TRY(allocate(plan.allocate));
  if (plan.size > space.size) SF_TRY(resize(device, root, space.size, plan.size));
  return plan.tight ? kShortTimeout : kLater;
}

Status BtrfsImage::discard_if_freed(const os::BtrfsSpace& space, std::uint64_t backed, int root) {
  // Before the first call, everything that the host has allocated may have been in use.
  used_before_ = std::max(used_before_.value_or(backed), space.used);
  if (*used_before_ - space.used < kWorthDiscarding || !next_discard_.passed()) return Ok{};
  next_discard_ = Deadline::after(kDiscardPause);
  used_before_ = space.used;
  return os::discard_unused(root);
}

// The file is never smaller than the size that the file system records, even if the process is
// killed between the two steps.
Status BtrfsImage::resize(const os::LoopDevice& device, int root, std::uint64_t from,
                          std::uint64_t to) const {
  if (to < from) SF_TRY(os::resize_btrfs(root, to));
  SF_TRY(set_size(path_, to));
  SF_TRY(os::follow_file_size(device));
  if (to > from) SF_TRY(os::resize_btrfs(root, to));
  return Ok{};
}

Status BtrfsImage::allocate(std::uint64_t bytes) const {
  constexpr std::uint64_t kStep = 64ULL << 20U;
  SF_TRY_ASSIGN(os::UniqueFd file, os::open_file(path_, O_RDWR));
  for (std::uint64_t at = 0; at < bytes; at += kStep) {
    const auto length = static_cast<off_t>(std::min(kStep, bytes - at));
    if (::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at), length) != 0)
      return os::last_error("allocating " + path_);
  }
  return Ok{};
}

}  // namespace sf::waypoint
