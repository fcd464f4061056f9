#include "os/mount.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <set>

#include "base/split.h"
#include "os/error.h"

namespace sf::os {
namespace {

// The kernel reports the reason in the context's message log.
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

// mountinfo escapes spaces and other special characters as a backslash and three octal digits.
std::string unescaped(const std::string& field) {
  std::string out;
  for (std::size_t at = 0; at < field.size(); ++at) {
    auto digit = [&](std::size_t offset) {
      return static_cast<unsigned>(field[at + offset] - '0');
    };
    if (field[at] == '\\' && field.size() - at > 3 && digit(1) < 4 && digit(2) < 8 &&
        digit(3) < 8) {
      out.push_back(static_cast<char>(digit(1) * 64 + digit(2) * 8 + digit(3)));
      at += 3;
    } else {
      out.push_back(field[at]);
    }
  }
  return out;
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

Status make_mounts_private() {
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return last_error("making mounts private");
  return Ok{};
}

Status make_mounts_follow() {
  if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return last_error("making mounts slaves of the host's mounts");
  return Ok{};
}

std::vector<std::string> mount_points_below(std::string_view mountinfo, const std::string& root) {
  constexpr std::size_t kMountPoint = 4;
  std::set<std::string> found;
  std::string prefix = root == "/" ? root : root + "/";
  for (const std::string& line : split(mountinfo, '\n')) {
    std::vector<std::string> fields = split(line, ' ');
    if (fields.size() <= kMountPoint) continue;
    std::string path = unescaped(fields[kMountPoint]);
    if (path.starts_with(prefix) && path != prefix) found.insert(path);
  }
  return {found.begin(), found.end()};
}

}  // namespace sf::os
