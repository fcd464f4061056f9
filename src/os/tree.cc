#include "os/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
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
  while (const dirent* entry = ::readdir(dir.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  return names;
}

// Removes depth first with one descriptor per level, so a tree deeper than kMaxDepth is brought up
// level by level: anybody in a branch can make one.
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

// Copies what stat() shows beside the type: owner, mode, times. Order matters: chown clears set-id
// bits.
Status copy_attributes(const struct stat& info, int to_parent, const std::string& name) {
  if (::fchownat(to_parent, name.c_str(), info.st_uid, info.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
    return last_error("copying the owner of " + name);
  if (!S_ISLNK(info.st_mode) && ::fchmodat(to_parent, name.c_str(), info.st_mode & 07777U, 0) != 0)
    return last_error("copying the mode of " + name);
  struct timespec times[2] = {info.st_atim, info.st_mtim};
  if (::utimensat(to_parent, name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
    return last_error("copying the times of " + name);
  return Ok{};
}

Status copy_xattrs(const std::string& from, const std::string& to) {
  std::string list(65536, '\0');
  ssize_t size = ::llistxattr(from.c_str(), list.data(), list.size());
  if (size <= 0) return Ok{};
  std::string value(65536, '\0');
  for (const char* name = list.data(); name < list.data() + size;
       name += std::string_view(name).size() + 1) {
    ssize_t n = ::lgetxattr(from.c_str(), name, value.data(), value.size());
    if (n < 0) return last_error("reading attribute " + std::string(name) + " of " + from);
    if (::lsetxattr(to.c_str(), name, value.data(), static_cast<std::size_t>(n), 0) != 0)
      return last_error("writing attribute " + std::string(name) + " of " + to);
  }
  return Ok{};
}

Status copy_data(int from, int to, off_t size) {
  if (::ioctl(to, FICLONE, from) == 0) return Ok{};
  off_t at = 0;
  while (at < size) {
    off_t data = ::lseek(from, at, SEEK_DATA);
    if (data < 0) break;  // ENXIO: only a hole is left
    off_t hole = ::lseek(from, data, SEEK_HOLE);
    if (hole < 0) return last_error("copying data");
    loff_t in = data;
    loff_t out = data;
    while (in < hole) {
      ssize_t n = ::copy_file_range(from, &in, to, &out, static_cast<std::size_t>(hole - in), 0);
      if (n > 0) continue;
      if (n == 0 || (errno != EXDEV && errno != EINVAL)) return last_error("copying data");
      char buffer[65536];  // two file systems that cannot do it among themselves
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

class TreeCopier {
 public:
  Status copy(const std::string& from, int from_parent, const std::string& to, int to_parent,
              const std::string& name) {
    struct stat info {};
    if (::fstatat(from_parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      return last_error("copying " + from);
    if (!S_ISDIR(info.st_mode) && info.st_nlink > 1) {
      auto [known, is_new] = links_.try_emplace(info.st_ino, to);
      if (!is_new) {
        if (::link(known->second.c_str(), to.c_str()) != 0) return last_error("linking " + to);
        return Ok{};
      }
    }
    SF_TRY(copy_content(info, from, from_parent, to, to_parent, name));
    SF_TRY(copy_xattrs(from, to));
    return copy_attributes(info, to_parent, name);
  }

 private:
  Status copy_content(const struct stat& info, const std::string& from, int from_parent,
                      const std::string& to, int to_parent, const std::string& name) {
    switch (info.st_mode & S_IFMT) {
      case S_IFDIR: {
        if (::mkdirat(to_parent, name.c_str(), 0700) != 0) return last_error("creating " + to);
        SF_TRY_ASSIGN(UniqueFd source,
                      open_at(from_parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
        SF_TRY_ASSIGN(UniqueFd target,
                      open_at(to_parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
        SF_TRY_ASSIGN(std::vector<std::string> names, names_in(source.get()));
        for (const std::string& child : names)
          SF_TRY(copy(from + "/" + child, source.get(), to + "/" + child, target.get(), child));
        return Ok{};
      }
      case S_IFREG: {
        SF_TRY_ASSIGN(UniqueFd source,
                      open_at(from_parent, name, O_RDONLY | O_NOFOLLOW | O_NOATIME));
        SF_TRY_ASSIGN(UniqueFd target, open_at(to_parent, name, O_WRONLY | O_CREAT | O_EXCL, 0600));
        return copy_data(source.get(), target.get(), info.st_size);
      }
      case S_IFLNK: {
        SF_TRY_ASSIGN(std::string link, read_link(from));
        if (::symlinkat(link.c_str(), to_parent, name.c_str()) != 0)
          return last_error("creating " + to);
        return Ok{};
      }
      default:
        if (::mknodat(to_parent, name.c_str(), info.st_mode, info.st_rdev) != 0)
          return last_error("creating " + to);
        return Ok{};
    }
  }

  std::map<ino_t, std::string> links_;
};

Result<UniqueFd> open_parent(const std::string& path, std::string& name) {
  std::size_t slash = path.rfind('/');
  name = slash == std::string::npos ? path : path.substr(slash + 1);
  return open_file(slash == std::string::npos ? "." : path.substr(0, slash + 1),
                   O_RDONLY | O_DIRECTORY);
}

std::uint64_t bytes_below(int parent, const std::string& name, std::set<ino_t>& seen) {
  struct stat info {};
  if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  if (!seen.insert(info.st_ino).second) return 0;
  std::uint64_t bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
  if (!S_ISDIR(info.st_mode)) return bytes;
  auto dir = open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!dir) return bytes;
  auto names = names_in(dir->get());
  if (!names) return bytes;
  for (const std::string& child : *names) bytes += bytes_below(dir->get(), child, seen);
  return bytes;
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
  std::string from_name;
  std::string to_name;
  SF_TRY_ASSIGN(UniqueFd from_parent, open_parent(from, from_name));
  SF_TRY_ASSIGN(UniqueFd to_parent, open_parent(to, to_name));
  if (::mkdirat(to_parent.get(), to_name.c_str(), 0700) != 0) return last_error("creating " + to);
  SF_TRY_ASSIGN(UniqueFd source, open_file(from, O_RDONLY | O_DIRECTORY));
  SF_TRY_ASSIGN(UniqueFd target, open_file(to, O_RDONLY | O_DIRECTORY));
  SF_TRY_ASSIGN(std::vector<std::string> names, names_in(source.get()));
  TreeCopier copier;
  for (const std::string& child : names)
    SF_TRY(copier.copy(from + "/" + child, source.get(), to + "/" + child, target.get(), child));
  struct stat info {};
  if (::fstat(source.get(), &info) != 0) return last_error(from);
  SF_TRY(copy_xattrs(from, to));
  return copy_attributes(info, to_parent.get(), to_name);
}

std::uint64_t tree_bytes(const std::string& path) {
  std::string name;
  auto parent = open_parent(path, name);
  std::set<ino_t> seen;
  return parent ? bytes_below(parent->get(), name, seen) : 0;
}

}  // namespace sf::os
