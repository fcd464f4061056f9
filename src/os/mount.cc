#include "os/mount.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/error.h"

namespace sf::os {
namespace {

// The kernel says why through the context's message log.
std::string context_messages(int context) {
  std::string text;
  char buffer[1024];
  for (ssize_t n = 0; (n = ::read(context, buffer, sizeof buffer)) > 0;) {
    if (!text.empty()) text += "; ";
    text.append(buffer, static_cast<std::size_t>(n));
    while (!text.empty() && text.back() == '\n') text.pop_back();
  }
  return text;
}

Error context_error(int context, const std::string& what) {
  int error = errno;
  std::string said = context_messages(context);
  return os_error(error, said.empty() ? what : what + " (" + said + ")");
}

}  // namespace

Result<UniqueFd> mount_detached(const std::string& fs_type, const std::vector<MountOption>& options,
                                unsigned attributes) {
  UniqueFd context(static_cast<int>(::syscall(SYS_fsopen, fs_type.c_str(), FSOPEN_CLOEXEC)));
  if (!context.valid()) return last_error("file system " + fs_type);
  for (const MountOption& option : options) {
    auto command = option.value.empty() ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    const char* value = option.value.empty() ? nullptr : option.value.c_str();
    if (::syscall(SYS_fsconfig, context.get(), command, option.key.c_str(), value, 0) != 0)
      return context_error(context.get(),
                           "mounting " + fs_type + ": option " + option.key + "=" + option.value);
  }
  if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return context_error(context.get(), "mounting " + fs_type);
  UniqueFd mount(
      static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, attributes)));
  if (!mount.valid()) return context_error(context.get(), "mounting " + fs_type);
  return mount;
}

Status attach_mount(int mount_fd, const std::string& target) {
  if (::syscall(SYS_move_mount, mount_fd, "", AT_FDCWD, target.c_str(), MOVE_MOUNT_F_EMPTY_PATH) !=
      0)
    return last_error("attaching a mount at " + target);
  return Ok{};
}

Result<UniqueFd> clone_mount(int dir_fd, const std::string& path) {
  unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
  if (path.empty()) flags |= AT_EMPTY_PATH;
  UniqueFd tree(static_cast<int>(::syscall(SYS_open_tree, dir_fd, path.c_str(), flags)));
  if (!tree.valid()) return last_error("copying mount " + path);
  return tree;
}

Status unmount(const std::string& target) {
  if (::umount2(target.c_str(), UMOUNT_NOFOLLOW) != 0) return last_error("unmounting " + target);
  return Ok{};
}

Status make_mounts_private() {
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return last_error("making mounts private");
  return Ok{};
}

}  // namespace sf::os
