#include "roots/root_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "roots/layer_rules.h"

namespace sf::roots {
namespace {

using Kind = TarEntry::Kind;

constexpr int kJustThere = O_PATH | O_DIRECTORY;
constexpr mode_t kParentMode = 0755;  // of parent directories that the archive does not contain

Result<ino_t> inode_of(int directory) {
  struct stat info {};
  if (::fstat(directory, &info) != 0) return os::last_error("reading a directory's attributes");
  return info.st_ino;
}

// nullopt if the name does not exist.
Result<std::optional<struct stat>> look(int directory, const std::string& name) {
  struct stat info {};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
    return std::optional(info);
  if (errno == ENOENT) return std::optional<struct stat>();
  return os::last_error("reading the attributes of the existing file");
}

Status write_at(int file, const DataBlock& block) {
  std::string_view left = block.bytes;
  auto at = static_cast<off_t>(block.offset);
  while (!left.empty()) {
    ssize_t n = ::pwrite(file, left.data(), left.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return os::last_error("writing");
    left.remove_prefix(static_cast<std::size_t>(n));
    at += n;
  }
  return Ok{};
}

// Removes the existing file, unless both it and the new member are directories.
Status clear_the_way(int directory, const std::string& name, Kind wanted) {
  SF_TRY_ASSIGN(std::optional<struct stat> old, look(directory, name));
  if (!old || (S_ISDIR(old->st_mode) && wanted == Kind::kDirectory)) return Ok{};
  if (S_ISDIR(old->st_mode)) return os::remove_tree(os::fd_path(directory) + "/" + name);
  if (::unlinkat(directory, name.c_str(), 0) != 0) return os::last_error("replacing the old file");
  return Ok{};
}

Status make_directory(int directory, const std::string& name) {
  if (::mkdirat(directory, name.c_str(), 0700) != 0 && errno != EEXIST)
    return os::last_error("creating it");
  return Ok{};
}

}  // namespace

Result<RootWriter> RootWriter::open(const std::string& root, const UnpackLimits& limits) {
  SF_TRY_ASSIGN(os::InRoot inside, os::InRoot::open(root));
  return RootWriter(std::move(inside), limits);
}

Status RootWriter::make_parent(const std::string& path) {
  SF_TRY_ASSIGN(Location location, location_of(path));
  if (::mkdirat(location.directory.get(), location.name.c_str(), 0700) != 0)
    return os::last_error("making directory " + path);  // EEXIST: a dangling link
  if (::fchmodat(location.directory.get(), location.name.c_str(), kParentMode, 0) != 0)
    return os::last_error("setting the mode of " + path);
  made_.emplace(location.inode, location.name);
  return Ok{};
}

Result<RootWriter::Location> RootWriter::location_of(const std::string& path) {
  if (path == "/") {
    SF_TRY_ASSIGN(os::UniqueFd top, root_.open_file("/", kJustThere));
    return Location{std::move(top), 0, "."};
  }
  const PathParts parts = split_path(path);
  Result<os::UniqueFd> directory = root_.open_file(parts.directory, kJustThere);
  if (!directory && directory.error().os_errno == ENOENT) {
    SF_TRY(make_parent(parts.directory));
    directory = root_.open_file(parts.directory, kJustThere);
  }
  if (!directory) return std::move(directory).error();
  SF_TRY_ASSIGN(ino_t inode, inode_of(directory->get()));
  return Location{std::move(*directory), inode, parts.name};
}

Status RootWriter::add(const std::string& path, const TarEntry& entry, TarReader& data) {
  if (++report_.entries > limits_.max_entries)
    return invalid("the archive has more than " + std::to_string(limits_.max_entries) + " members");
  if (path == "/" && entry.kind != Kind::kDirectory)
    return fail(ErrorCode::kCorrupt, "the archive has a / that is not a directory");
  SF_TRY_ASSIGN(Location location, location_of(path));
  if (path != "/") SF_TRY(clear_the_way(location.directory.get(), location.name, entry.kind));
  SF_TRY_ASSIGN(bool skipped, is_skipped(entry));
  if (skipped) {
    if (entry.kind != Kind::kHardLink) ++report_.skipped_devices;
    skipped_.insert(path);
    return Ok{};
  }
  skipped_.erase(path);
  SF_TRY(make(location, entry, data));
  made_.emplace(location.inode, location.name);
  if (entry.kind == Kind::kHardLink) return Ok{};  // it shares the attributes of its other name
  if (entry.kind == Kind::kDirectory) directory_times_[path] = entry.modified;
  return set_attributes(location, entry);
}

Result<bool> RootWriter::is_skipped(const TarEntry& entry) const {
  if (entry.kind != Kind::kHardLink)
    return entry.kind == Kind::kDevice || entry.kind == Kind::kOther;
  SF_TRY_ASSIGN(std::string target, path_in_root(entry.target));
  return skipped_.contains(target);
}

Status RootWriter::make(const Location& location, const TarEntry& entry, TarReader& data) {
  const int directory = location.directory.get();
  const char* name = location.name.c_str();
  switch (entry.kind) {
    case Kind::kFile:
      return make_file(location, entry, data);
    case Kind::kHardLink:
      return make_hard_link(location, entry);
    case Kind::kSymlink:
      if (::symlinkat(entry.target.c_str(), directory, name) != 0)
        return os::last_error("making the link");
      return Ok{};
    case Kind::kPipe:
      if (::mknodat(directory, name, S_IFIFO | 0600, 0) != 0)
        return os::last_error("making the pipe");
      return Ok{};
    default:
      return make_directory(directory, location.name);
  }
}

Status RootWriter::make_file(const Location& location, const TarEntry& entry, TarReader& data) {
  SF_TRY_ASSIGN(os::UniqueFd file, os::open_at(location.directory.get(), location.name,
                                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  for (;;) {
    SF_TRY_ASSIGN(std::optional<DataBlock> block, data.block());
    if (!block) break;
    report_.bytes += block->bytes.size();
    if (report_.bytes > limits_.max_bytes)
      return invalid("the archive holds more than " + std::to_string(limits_.max_bytes) + " bytes",
                     "if you trust the archive, raise the limit (--max-bytes)");
    SF_TRY(write_at(file.get(), *block));
  }
  if (::ftruncate(file.get(), static_cast<off_t>(entry.size)) != 0)
    return os::last_error("setting its size");
  return Ok{};
}

Status RootWriter::make_hard_link(const Location& location, const TarEntry& entry) const {
  SF_TRY_ASSIGN(std::string target, path_in_root(entry.target));
  const PathParts parts = split_path(target);
  Result<os::UniqueFd> directory = root_.open_file(parts.directory, kJustThere);
  if (directory && ::linkat(directory->get(), parts.name.c_str(), location.directory.get(),
                            location.name.c_str(), 0) == 0)
    return Ok{};
  Error error = directory ? os::last_error("linking") : std::move(directory).error();
  return std::move(error).while_doing("another name of " + target + " in the archive");
}

Status RootWriter::set_attributes(const Location& location, const TarEntry& entry) {
  const int directory = location.directory.get();
  const char* name = location.name.c_str();
  // Set first, because a change of the owner clears set-id bits and file capabilities.
  if (::fchownat(directory, name, entry.uid, entry.gid, AT_SYMLINK_NOFOLLOW) != 0)
    return os::last_error("setting its owner");
  if (!entry.attributes.empty()) {
    SF_TRY_ASSIGN(os::UniqueFd self, os::open_at(directory, name, O_PATH | O_NOFOLLOW));
    for (const auto& [key, value] : entry.attributes) {
      const bool is_set =
          keeps_attribute(key) && ::setxattr(os::fd_path(self.get()).c_str(), key.c_str(),
                                             value.data(), value.size(), 0) == 0;
      if (is_set) continue;
      // Some file systems do not support them, and links cannot have user attributes.
      if (keeps_attribute(key) && errno != ENOTSUP && errno != EPERM)
        return os::last_error("setting its attribute " + key);
      ++report_.skipped_attributes;
    }
  }
  if (entry.kind != Kind::kSymlink && ::fchmodat(directory, name, entry.mode, 0) != 0)
    return os::last_error("setting its mode");
  const timespec times[2] = {entry.modified, entry.modified};
  if (::utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW) != 0)
    return os::last_error("setting its times");
  return Ok{};
}

Status RootWriter::hide(const std::string& directory, const std::string& name) {
  Result<os::UniqueFd> opened = root_.open_file(directory, kJustThere);
  if (!opened) return Ok{};
  SF_TRY_ASSIGN(ino_t inode, inode_of(opened->get()));
  return hide_below(opened->get(), inode, name);
}

Status RootWriter::hide_all_in(const std::string& directory) {
  Result<os::UniqueFd> opened = root_.open_file(directory, kJustThere);
  if (!opened) return Ok{};
  return hide_content(opened->get());
}

Status RootWriter::hide_content(int directory) {
  SF_TRY_ASSIGN(ino_t inode, inode_of(directory));
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(os::fd_path(directory)));
  for (const std::string& name : names) SF_TRY(hide_below(directory, inode, name));
  return Ok{};
}

Status RootWriter::hide_below(int directory, ino_t inode, const std::string& name) {
  const bool is_ours = made_.contains({inode, name});
  SF_TRY_ASSIGN(std::optional<struct stat> info, look(directory, name));
  if (!info) return Ok{};
  if (!S_ISDIR(info->st_mode)) {
    if (!is_ours && ::unlinkat(directory, name.c_str(), 0) != 0)
      return os::last_error("hiding " + name);
    return Ok{};
  }
  {
    SF_TRY_ASSIGN(os::UniqueFd below, os::open_at(directory, name, kJustThere | O_NOFOLLOW));
    SF_TRY(hide_content(below.get()));
  }
  // A directory with files of this layer is kept.
  if (!is_ours && ::unlinkat(directory, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOTEMPTY)
    return os::last_error("hiding " + name);
  return Ok{};
}

Status RootWriter::finish() {
  for (const auto& [path, modified] : directory_times_) {
    // A later layer may have replaced the directory.
    auto directory = root_.open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const timespec times[2] = {modified, modified};
    if (directory && ::futimens(directory->get(), times) != 0)
      return os::last_error("setting the times of " + path);
  }
  return Ok{};
}

}  // namespace sf::roots
