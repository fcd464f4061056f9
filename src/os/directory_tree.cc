#include "os/directory_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "os/error.h"
#include "os/fd.h"
#include "os/file.h"

namespace sf::os {
namespace {

using Dir = std::unique_ptr<DIR, int (*)(DIR*)>;

Result<std::vector<std::string>> names_in(int dir_fd) {
  UniqueFd copy(::fcntl(dir_fd, F_DUPFD_CLOEXEC, 0));
  if (!copy.valid()) return last_error("listing a directory");
  Dir dir(::fdopendir(copy.release()), ::closedir);
  if (!dir) return last_error("listing a directory");
  ::rewinddir(dir.get());
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr && errno != 0) return last_error("listing a directory");
    if (entry == nullptr) return names;
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
}

// Removes depth first, with one descriptor per level. A directory below kMaxDepth is first moved up
// to the top, since any process in a branch can make a tree of any depth.
class TreeRemover {
 public:
  TreeRemover(int top, dev_t device) : top_(top), device_(device) {}

  Status remove(const std::string& name) {
    SF_TRY(remove_below(top_, name, 0));
    while (!raised_.empty()) {
      std::string next = std::move(raised_.back());
      raised_.pop_back();
      SF_TRY(remove_below(top_, next, 0));
    }
    return Ok{};
  }

 private:
  Status remove_below(int parent, const std::string& name, int depth) {
    struct stat info {};
    if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return Ok{};
      return last_error("removing " + name);
    }
    if (!S_ISDIR(info.st_mode)) {
      if (::unlinkat(parent, name.c_str(), 0) != 0 && errno != ENOENT)
        return last_error("removing " + name);
      return Ok{};
    }
    if (info.st_dev != device_)
      return os_error(EXDEV, "removing " + name + ": something is mounted there");
    if (depth > kMaxDepth) return raise(parent, name);
    {
      SF_TRY_ASSIGN(UniqueFd dir, open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
      SF_TRY_ASSIGN(std::vector<std::string> names, names_in(dir.get()));
      for (const std::string& child : names) SF_TRY(remove_below(dir.get(), child, depth + 1));
    }
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
      return last_error("removing directory " + name);
    return Ok{};
  }

  Status raise(int parent, const std::string& name) {
    std::string raised = ".removing-" + std::to_string(::getpid()) + "-" + std::to_string(count_++);
    if (::renameat(parent, name.c_str(), top_, raised.c_str()) != 0)
      return last_error("removing " + name);
    raised_.push_back(std::move(raised));
    return Ok{};
  }

  static constexpr int kMaxDepth = 16;
  int top_;
  dev_t device_;
  std::vector<std::string> raised_;
  int count_ = 0;
};

// Uses the path of a descriptor in /proc, which works for symbolic links, devices and paths of any
// length.
Status copy_xattrs(int from_parent, int to_parent, const std::string& name) {
  constexpr int kSelf = O_PATH | O_NOFOLLOW;
  SF_TRY_ASSIGN(UniqueFd source, open_at(from_parent, name, kSelf));
  const std::string from = "/proc/self/fd/" + std::to_string(source.get());
  std::string list(XATTR_LIST_MAX, '\0');
  ssize_t size = ::listxattr(from.c_str(), list.data(), list.size());
  if (size < 0 && errno != ENOTSUP) return last_error("listing the attributes of " + name);
  if (size <= 0) return Ok{};
  SF_TRY_ASSIGN(UniqueFd target, open_at(to_parent, name, kSelf));
  const std::string to = "/proc/self/fd/" + std::to_string(target.get());
  std::string value(XATTR_SIZE_MAX, '\0');
  for (const char* key = list.data(); key < list.data() + size;
       key += std::string_view(key).size() + 1) {
    ssize_t n = ::getxattr(from.c_str(), key, value.data(), value.size());
    if (n < 0) return last_error("reading attribute " + std::string(key) + " of " + name);
    if (::setxattr(to.c_str(), key, value.data(), static_cast<std::size_t>(n), 0) != 0)
      return last_error("writing attribute " + std::string(key) + " of " + name);
  }
  return Ok{};
}

// Copies everything except type and content. The order matters: a new owner clears set-id bits and
// file capabilities, and a new mode may make the directory itself inaccessible.
Status copy_attributes(const struct stat& info, int from_parent, int to_parent,
                       const std::string& name) {
  if (::fchownat(to_parent, name.c_str(), info.st_uid, info.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
    return last_error("copying the owner of " + name);
  SF_TRY(copy_xattrs(from_parent, to_parent, name));
  struct timespec times[2] = {info.st_atim, info.st_mtim};
  if (::utimensat(to_parent, name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
    return last_error("copying the times of " + name);
  if (!S_ISLNK(info.st_mode) && ::fchmodat(to_parent, name.c_str(), info.st_mode & 07777U, 0) != 0)
    return last_error("copying the mode of " + name);
  return Ok{};
}

Status copy_data(int from, int to, off_t size) {
  if (::ioctl(to, FICLONE, from) == 0) return Ok{};
  off_t at = 0;
  while (at < size) {
    off_t data = ::lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // only a hole remains
    if (data < 0) return last_error("copying data");
    off_t hole = ::lseek(from, data, SEEK_HOLE);
    if (hole < 0) return last_error("copying data");
    loff_t in = data;
    loff_t out = data;
    while (in < hole) {
      ssize_t n = ::copy_file_range(from, &in, to, &out, static_cast<std::size_t>(hole - in), 0);
      if (n > 0) continue;
      if (n == 0) return fail(ErrorCode::kOs, "the file shrank while it was copied");
      if (errno != EXDEV && errno != EINVAL) return last_error("copying data");
      char buffer[65536];  // copy_file_range() does not work between these file systems
      n = ::pread(from, buffer, std::min(sizeof buffer, static_cast<std::size_t>(hole - in)), in);
      if (n <= 0 || ::pwrite(to, buffer, static_cast<std::size_t>(n), out) != n)
        return last_error("copying data");
      in += n;
      out += n;
    }
    at = hole;
  }
  if (::ftruncate(to, size) != 0) return last_error("copying data");
  return Ok{};
}

// The kernel accepts at most PATH_MAX bytes per path, but processes in a branch can make longer
// paths.
Result<UniqueFd> open_below(int top, std::string_view path, int flags) {
  UniqueFd at;
  auto here = [&] { return at.valid() ? at.get() : top; };
  while (path.size() >= PATH_MAX) {
    std::size_t slash = path.rfind('/', PATH_MAX - 1);
    SF_TRY_ASSIGN(at, open_at(here(), std::string(path.substr(0, slash)), O_PATH | O_DIRECTORY));
    path.remove_prefix(slash + 1);
  }
  return open_at(here(), path.empty() ? "." : std::string(path), flags);
}

std::string joined(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

// Opens one directory at a time, each from the top, so that a tree of any depth needs only a few
// descriptors. The copier makes the subdirectories together with their parent and fills them later,
// so that filling one does not change the times of another. All paths are relative to the two tops.
class TreeCopier {
 public:
  TreeCopier(int from_top, int to_top) : from_top_(from_top), to_top_(to_top) {}

  Status copy() {
    pending_.emplace_back();
    while (!pending_.empty()) {
      std::string next = std::move(pending_.back());
      pending_.pop_back();
      Status copied = copy_directory(next);
      if (!copied) return next.empty() ? copied : std::move(copied).error().while_doing(next);
    }
    return Ok{};
  }

 private:
  struct Location {  // a directory in the source and in the copy
    std::string path;
    UniqueFd from;
    UniqueFd to;
  };

  Status copy_directory(const std::string& path) {
    Location location{path, {}, {}};
    SF_TRY_ASSIGN(location.from, open_below(from_top_, path, kOpenDirectory | O_NOATIME));
    SF_TRY_ASSIGN(location.to, open_below(to_top_, path, kOpenDirectory));
    struct stat info {};
    if (::fstat(location.from.get(), &info) != 0) return last_error("copying");
    SF_TRY_ASSIGN(std::vector<std::string> names, names_in(location.from.get()));
    for (const std::string& name : names) SF_TRY(copy_entry(location, name));
    return copy_attributes(info, location.from.get(), location.to.get(), ".");
  }

  Status copy_entry(const Location& location, const std::string& name) {
    struct stat info {};
    if (::fstatat(location.from.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      return last_error("copying " + name);
    if (S_ISDIR(info.st_mode)) {
      if (::mkdirat(location.to.get(), name.c_str(), 0700) != 0)
        return last_error("creating " + name);
      pending_.push_back(joined(location.path, name));
      return Ok{};
    }
    if (info.st_nlink > 1) {
      auto [known, is_new] = links_.try_emplace({info.st_dev, info.st_ino}, location.path, name);
      if (!is_new) return link_entry(known->second, location, name);
    }
    SF_TRY(copy_content(info, location, name));
    return copy_attributes(info, location.from.get(), location.to.get(), name);
  }

  Status link_entry(const std::pair<std::string, std::string>& first, const Location& location,
                    const std::string& name) const {
    SF_TRY_ASSIGN(UniqueFd parent, open_below(to_top_, first.first, kOpenDirectory));
    if (::linkat(parent.get(), first.second.c_str(), location.to.get(), name.c_str(), 0) != 0)
      return last_error("linking " + name);
    return Ok{};
  }

  static Status copy_content(const struct stat& info, const Location& location,
                             const std::string& name) {
    switch (info.st_mode & S_IFMT) {
      case S_IFREG: {
        SF_TRY_ASSIGN(UniqueFd source,
                      open_at(location.from.get(), name, O_RDONLY | O_NOFOLLOW | O_NOATIME));
        SF_TRY_ASSIGN(UniqueFd target,
                      open_at(location.to.get(), name, O_WRONLY | O_CREAT | O_EXCL, 0600));
        Status copied = copy_data(source.get(), target.get(), info.st_size);
        if (!copied) return std::move(copied).error().while_doing(name);
        return Ok{};
      }
      case S_IFLNK: {
        char link[PATH_MAX] = {};
        if (::readlinkat(location.from.get(), name.c_str(), link, sizeof link - 1) < 0)
          return last_error("reading link " + name);
        if (::symlinkat(link, location.to.get(), name.c_str()) != 0)
          return last_error("creating " + name);
        return Ok{};
      }
      default:
        if (::mknodat(location.to.get(), name.c_str(), info.st_mode, info.st_rdev) != 0)
          return last_error("creating " + name);
        return Ok{};
    }
  }

  int from_top_;
  int to_top_;
  std::vector<std::string> pending_;  // directories that are made but still empty
  // For each file with several names: the directory and name of the first one copied.
  std::map<std::pair<dev_t, ino_t>, std::pair<std::string, std::string>> links_;
};

Result<UniqueFd> open_parent(const std::string& path, std::string& name) {
  std::size_t slash = path.rfind('/');
  name = slash == std::string::npos ? path : path.substr(slash + 1);
  return open_file(slash == std::string::npos ? "." : path.substr(0, slash + 1),
                   O_RDONLY | O_DIRECTORY);
}

}  // namespace

Status remove_tree(const std::string& path) {
  if (!exists(path)) return Ok{};
  std::string name;
  SF_TRY_ASSIGN(UniqueFd parent, open_parent(path, name));
  struct stat info {};
  if (::fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return last_error(path);
  Status removed = TreeRemover(parent.get(), info.st_dev).remove(name);
  if (!removed) return std::move(removed).error().while_doing("removing " + path);
  return Ok{};
}

Status copy_tree(const std::string& from, const std::string& to) {
  SF_TRY_ASSIGN(UniqueFd source, open_file(from, O_RDONLY | O_DIRECTORY));
  if (::mkdir(to.c_str(), 0700) != 0) return last_error("creating " + to);
  SF_TRY_ASSIGN(UniqueFd target, open_file(to, O_RDONLY | O_DIRECTORY));
  Status copied = TreeCopier(source.get(), target.get()).copy();
  if (!copied) return std::move(copied).error().while_doing("copying " + from + " to " + to);
  return Ok{};
}

std::uint64_t tree_bytes(const std::string& path) {
  auto top = open_file(path, kOpenDirectory);
  if (!top) return 0;
  std::set<ino_t> seen;
  std::uint64_t bytes = 0;
  auto add = [&](const struct stat& info) {
    if (seen.insert(info.st_ino).second) bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
  };
  struct stat info {};
  if (::fstat(top->get(), &info) == 0) add(info);
  std::vector<std::string> pending(1);
  while (!pending.empty()) {
    std::string next = std::move(pending.back());
    pending.pop_back();
    auto directory = open_below(top->get(), next, kOpenDirectory);
    auto names = directory ? names_in(directory->get()) : directory.error();
    if (!names) continue;
    for (const std::string& name : *names) {
      if (::fstatat(directory->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      add(info);
      if (S_ISDIR(info.st_mode)) pending.push_back(joined(next, name));
    }
  }
  return bytes;
}

}  // namespace sf::os
