#include "os/in_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/scope_exit.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::os {
namespace {

constexpr int kMaxLinks = 40;  // as in the kernel

// Errors about the path itself become kInvalidArgument: the caller can correct the path.
Error path_error(int error, const std::string& path) {
  Error e = os_error(error, path);
  bool about_path = error == ENOTDIR || error == EISDIR || error == ELOOP ||
                    error == ENAMETOOLONG || error == EINVAL || error == EACCES || error == EPERM ||
                    error == EROFS;
  if (about_path) e.code = ErrorCode::kInvalidArgument;
  return e;
}

Status check_path(const std::string& path) {
  if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos)
    return invalid("\"" + path + "\" is not an absolute path");
  if (path.size() >= PATH_MAX) return invalid("the path is too long");
  return Ok{};
}

std::string parent_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "something else";
}

Error no_regular_file(const std::string& path, mode_t mode) {
  return invalid(path + " is " + kind_of(mode) + ", not a regular file");
}

}  // namespace

Result<InRoot> InRoot::open(const std::string& root) {
  SF_TRY_ASSIGN(UniqueFd fd, os::open_file(root, O_PATH | O_DIRECTORY));
  return InRoot(std::move(fd), root == "/");
}

Result<UniqueFd> InRoot::open_file(const std::string& path, int flags) const {
  SF_TRY(check_path(path));
  // Do not update the access time: commands in the branch can see it.
  const bool only_reads = (flags & (O_ACCMODE | O_PATH | O_NOATIME)) == O_RDONLY;
  if (only_reads) {
    Result<UniqueFd> unseen = open_file(path, flags | O_NOATIME);
    if (unseen || unseen.error().os_errno != EPERM) return unseen;
  }
  if (is_own_) {  // works without openat2, too
    UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
    if (!fd.valid()) return path_error(errno, path);
    return fd;
  }
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT;
  for (int attempt = 0;; ++attempt) {
    long fd = ::syscall(SYS_openat2, root_.get(), path.c_str(), &how, sizeof how);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    // The kernel could not exclude that a concurrent rename led out of the root: retry.
    if ((errno != EAGAIN && errno != EINTR) || attempt >= 100) return path_error(errno, path);
  }
}

Result<struct stat> InRoot::look(const std::string& path) const {
  SF_TRY_ASSIGN(UniqueFd fd, open_file(path, O_PATH | O_NOFOLLOW));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return path_error(errno, path);
  return info;
}

Result<std::string> InRoot::read_link(const std::string& path) const {
  SF_TRY_ASSIGN(UniqueFd fd, open_file(path, O_PATH | O_NOFOLLOW));
  char target[PATH_MAX];
  ssize_t n = ::readlinkat(fd.get(), "", target, sizeof target);
  if (n < 0) return path_error(errno, path);
  return std::string(target, static_cast<std::size_t>(n));
}

Result<std::vector<std::string>> InRoot::list(const std::string& path) const {
  SF_TRY_ASSIGN(UniqueFd fd, open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return list_directory(std::move(fd), path);
}

bool InRoot::has_attribute(const std::string& path, const std::string& name) const {
  auto fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  return fd && ::fgetxattr(fd->get(), name.c_str(), nullptr, 0) >= 0;
}

Result<std::string> InRoot::read(const std::string& path, std::size_t max_bytes) const {
  // Check the type first: opening a pipe or a device has side effects.
  SF_TRY_ASSIGN(UniqueFd location, open_file(path, O_PATH));
  struct stat info {};
  if (::fstat(location.get(), &info) != 0) return path_error(errno, path);
  if (!S_ISREG(info.st_mode)) return no_regular_file(path, info.st_mode);
  auto too_long = [&] {
    return invalid(path + " is longer than " + std::to_string(max_bytes) + " bytes",
                   "read a part of it with a command, e.g. head -c");
  };
  if (info.st_size > 0 && static_cast<std::uint64_t>(info.st_size) > max_bytes) return too_long();
  Result<UniqueFd> file = os::open_file(fd_path(location.get()), O_RDONLY | O_NOATIME);
  if (!file && file.error().os_errno == EPERM)  // O_NOATIME needs the file's owner or root
    file = os::open_file(fd_path(location.get()), O_RDONLY);
  if (!file) return std::move(file).error();
  std::string content;
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(file->get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return path_error(errno, path);
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > max_bytes) return too_long();
  }
}

// Resolves `path` until its last component is not a link.
Result<std::string> InRoot::behind_links(const std::string& path) const {
  std::string at = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    Result<struct stat> info = look(at);
    bool is_link = info && S_ISLNK(info->st_mode);
    if (!is_link) return at;
    Result<std::string> target = read_link(at);
    if (!target) return target;
    at = target->front() == '/' ? *target : parent_of(at) + "/" + *target;
  }
  return path_error(ELOOP, path);
}

Status InRoot::replace(const std::string& path, std::string_view content,
                       const NewFile& fresh) const {
  SF_TRY(check_path(path));
  SF_TRY_ASSIGN(std::string location, behind_links(path));
  std::string name = name_of(location);
  if (name.empty() || name == "." || name == "..") return invalid(path + " names a directory");
  auto folder = open_file(parent_of(location), O_RDONLY | O_DIRECTORY);
  if (!folder) return std::move(folder).error().with_hint("create the directory first");

  NewFile made = fresh;
  struct stat old {};
  if (::fstatat(folder->get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0) {
    if (!S_ISREG(old.st_mode)) return no_regular_file(path, old.st_mode);
    made = {old.st_uid, old.st_gid, old.st_mode & 07777U};
  } else if (errno != ENOENT) {
    return path_error(errno, path);
  }
  std::string draft = "." + name.substr(0, 200) + ".statefork-" + std::to_string(::getpid()) + "-" +
                      std::to_string(::gettid());
  (void)::unlinkat(folder->get(), draft.c_str(), 0);
  UniqueFd file(::openat(folder->get(), draft.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return path_error(errno, path);
  ScopeExit remove([&] { (void)::unlinkat(folder->get(), draft.c_str(), 0); });
  SF_TRY(write_all(file.get(), content));
  if (::fchown(file.get(), made.uid, made.gid) != 0 || ::fchmod(file.get(), made.mode) != 0)
    return path_error(errno, path);
  if (::renameat(folder->get(), draft.c_str(), folder->get(), name.c_str()) != 0)
    return path_error(errno, path);
  remove.dismiss();
  return Ok{};
}

}  // namespace sf::os
