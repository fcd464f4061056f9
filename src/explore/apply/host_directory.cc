#include "explore/apply/host_directory.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "base/scope_exit.h"
#include "base/split.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::explore {
namespace {

constexpr int kJustThere = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t kPermissions = 0777;  // no set-id bits: they would apply to the caller
constexpr const char* kDraft = ".statefork-draft";

struct Location {
  std::vector<std::string> above;
  std::string name;
};

Result<Location> location_of(const std::string& path) {
  Location location{split(path, '/'), {}};
  for (const std::string& part : location.above) {
    if (part.empty() || part == "." || part == "..")
      return invalid("\"" + path + "\" is not a relative path without . and ..");
  }
  if (location.above.empty()) return invalid("the path is empty");
  location.name = std::move(location.above.back());
  location.above.pop_back();
  return location;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path += (path.empty() ? "" : "/") + part;
  return path;
}

Result<os::UniqueFd> open_below(int top, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  for (int attempt = 0;; ++attempt) {
    const long fd = ::syscall(SYS_openat2, top, path.c_str(), &how, sizeof how);
    if (fd >= 0) return os::UniqueFd(static_cast<int>(fd));
    if ((errno != EAGAIN && errno != EINTR) || attempt >= 100) return os::last_error(path);
  }
}

bool is_absence(const Error& error) {
  return error.os_errno == ENOENT || error.os_errno == ENOTDIR || error.os_errno == ELOOP;
}

Result<std::string> link_target(int parent, const std::string& name) {
  char target[PATH_MAX];
  const ssize_t size = ::readlinkat(parent, name.c_str(), target, sizeof target);
  if (size < 0) return os::last_error("reading the link " + name);
  return std::string(target, static_cast<std::size_t>(size));
}

// Only root may change a file's owner.
Status give_to(int parent, const std::string& name, uid_t uid, gid_t gid) {
  if (::geteuid() != 0) return Ok{};
  if (::fchownat(parent, name.c_str(), uid, gid, AT_SYMLINK_NOFOLLOW) != 0)
    return os::last_error("setting the owner of " + name);
  return Ok{};
}

Status write_draft(int parent, const FileState& wanted) {
  if (wanted.is_link) {
    if (::symlinkat(wanted.content.c_str(), parent, kDraft) != 0) return os::last_error("linking");
    return Ok{};
  }
  SF_TRY_ASSIGN(os::UniqueFd file, os::open_at(parent, kDraft, O_WRONLY | O_CREAT | O_EXCL));
  SF_TRY(os::write_all(file.get(), wanted.content));
  if (::fchmod(file.get(), wanted.mode & kPermissions) != 0) return os::last_error("its mode");
  return Ok{};
}

}  // namespace

Result<HostDirectory> HostDirectory::open(const std::string& path) {
  auto top = os::open_file(path, kJustThere);
  if (!top && top.error().os_errno == ENOENT) return HostDirectory(os::UniqueFd());
  if (!top) return std::move(top).error();
  return HostDirectory(std::move(*top));
}

Result<os::UniqueFd> HostDirectory::open_parent(const std::string& path) const {
  if (!top_.valid()) return os::os_error(ENOENT, "the directory");
  SF_TRY_ASSIGN(Location location, location_of(path));
  return open_below(top_.get(), location.above.empty() ? "." : joined(location.above), kJustThere);
}

Result<MaybeFile> HostDirectory::read(const std::string& path, std::size_t max_bytes) const {
  auto parent = open_parent(path);
  if (!parent && is_absence(parent.error())) return MaybeFile();
  if (!parent) return std::move(parent).error();
  SF_TRY_ASSIGN(Location location, location_of(path));
  struct stat info {};
  if (::fstatat(parent->get(), location.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return MaybeFile();
    return os::last_error("reading " + path);
  }
  if (S_ISLNK(info.st_mode)) {
    SF_TRY_ASSIGN(std::string target, link_target(parent->get(), location.name));
    return MaybeFile(FileState{std::move(target), kPermissions, true});
  }
  if (!S_ISREG(info.st_mode)) return invalid(path + " is not a regular file", "move it away");
  SF_TRY_ASSIGN(os::UniqueFd file, open_below(parent->get(), location.name, O_RDONLY | O_NONBLOCK));
  SF_TRY_ASSIGN(std::string content, os::read_file(os::fd_path(file.get()), max_bytes));
  return MaybeFile(FileState{std::move(content), info.st_mode & kPermissions, false});
}

Result<std::optional<std::string>> HostDirectory::obstacle_above(const std::string& path) const {
  if (!top_.valid()) return std::optional<std::string>();
  SF_TRY_ASSIGN(Location location, location_of(path));
  std::vector<std::string> above;
  for (const std::string& part : location.above) {
    above.push_back(part);
    auto directory = open_below(top_.get(), joined(above), kJustThere);
    if (directory) continue;
    if (directory.error().os_errno == ENOENT) break;
    if (is_absence(directory.error())) return std::optional(joined(above));
    return std::move(directory).error();
  }
  return std::optional<std::string>();
}

Result<os::UniqueFd> HostDirectory::make_parent(const std::string& path) const {
  SF_TRY_ASSIGN(Location location, location_of(path));
  SF_TRY_ASSIGN(os::UniqueFd at, open_below(top_.get(), ".", kJustThere));
  for (const std::string& part : location.above) {
    struct stat info {};
    if (::fstat(at.get(), &info) != 0) return os::last_error("reading a directory's owner");
    if (::mkdirat(at.get(), part.c_str(), 0755) == 0) {
      SF_TRY(give_to(at.get(), part, info.st_uid, info.st_gid));
    } else if (errno != EEXIST) {
      return os::last_error("creating directory " + part);
    }
    SF_TRY_ASSIGN(at, os::open_at(at.get(), part, kJustThere | O_NOFOLLOW));
  }
  return at;
}

Status HostDirectory::write(const std::string& path, const FileState& wanted) const {
  auto parent = make_parent(path);
  if (!parent) return std::move(parent).error().while_doing("writing " + path);
  SF_TRY_ASSIGN(Location location, location_of(path));
  struct stat owner {};
  if (::fstatat(parent->get(), location.name.c_str(), &owner, AT_SYMLINK_NOFOLLOW) != 0 &&
      ::fstat(parent->get(), &owner) != 0)
    return os::last_error("writing " + path);
  (void)::unlinkat(parent->get(), kDraft, 0);  // left by a run that was killed
  ScopeExit undo([&] { (void)::unlinkat(parent->get(), kDraft, 0); });
  Status written = write_draft(parent->get(), wanted);
  if (written) written = give_to(parent->get(), kDraft, owner.st_uid, owner.st_gid);
  if (!written) return std::move(written).error().while_doing("writing " + path);
  if (::renameat(parent->get(), kDraft, parent->get(), location.name.c_str()) != 0)
    return os::last_error("writing " + path);
  undo.dismiss();
  return Ok{};
}

Status HostDirectory::remove(const std::string& path) const {
  auto parent = open_parent(path);
  if (!parent && is_absence(parent.error())) return Ok{};
  if (!parent) return std::move(parent).error().while_doing("removing " + path);
  SF_TRY_ASSIGN(Location location, location_of(path));
  if (::unlinkat(parent->get(), location.name.c_str(), 0) != 0 && errno != ENOENT)
    return os::last_error("removing " + path);
  return Ok{};
}

}  // namespace sf::explore
