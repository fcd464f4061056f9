#include "os/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "os/error.h"

namespace sf::os {

Result<UniqueFd> open_file(const std::string& path, int flags, mode_t mode) {
  return open_at(AT_FDCWD, path, flags, mode);
}

Result<UniqueFd> open_at(int dir_fd, const std::string& path, int flags, mode_t mode) {
  UniqueFd fd(::openat(dir_fd, path.c_str(), flags | O_CLOEXEC, mode));
  if (!fd.valid()) return last_error("opening " + path);
  return fd;
}

Result<std::string> read_file(const std::string& path, std::size_t cap) {
  SF_TRY_ASSIGN(UniqueFd fd, open_file(path, O_RDONLY));
  std::string text;
  char buffer[16384];
  for (;;) {
    ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0) {
      if (errno == EINTR) continue;
      return last_error("reading " + path);
    }
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > cap) return fail(ErrorCode::kCorrupt, path + " is larger than expected");
  }
}

Result<bool> read_available(int fd, std::string& out, std::size_t cap) {
  char buffer[65536];
  while (out.size() < cap) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n > 0) {
      out.append(buffer, static_cast<std::size_t>(n));
      continue;
    }
    if (n == 0) return false;
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return true;
    return last_error("reading");
  }
  return true;
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return last_error("writing");
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Ok{};
}

Status write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  SF_TRY_ASSIGN(UniqueFd fd, open_file(path, O_WRONLY | O_CREAT | O_TRUNC, mode));
  Status written = write_all(fd.get(), bytes);
  if (!written) return std::move(written).error().while_doing(path);
  return Ok{};
}

Status publish_file(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string draft = path + ".draft";
  SF_TRY(write_file(draft, bytes, mode));
  return rename_path(draft, path);
}

Status make_directories(const std::string& path, mode_t mode) {
  std::size_t slash = 0;
  while (slash != std::string::npos) {
    slash = path.find('/', slash + 1);
    std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), mode) == 0 || errno == EEXIST) continue;
    int error = errno;  // a read-only parent that exists answers EROFS
    if (!is_directory(part)) return os_error(error, "creating directory " + part);
  }
  if (!is_directory(path)) return os_error(ENOTDIR, "creating directory " + path);
  return Ok{};
}

Status rename_path(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return last_error("renaming " + from + " to " + to);
  return Ok{};
}

Status exchange_paths(const std::string& one, const std::string& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) != 0)
    return last_error("exchanging " + one + " and " + other);
  return Ok{};
}

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

namespace {

Result<std::vector<std::string>> list_names(DIR* opened, const std::string& path) {
  if (opened == nullptr) return last_error("listing " + path);
  std::unique_ptr<DIR, int (*)(DIR*)> dir(opened, ::closedir);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(dir.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> list_directory(const std::string& path) {
  return list_names(::opendir(path.c_str()), path);
}

Result<std::vector<std::string>> list_directory(UniqueFd directory, const std::string& name) {
  DIR* dir = ::fdopendir(directory.get());
  if (dir != nullptr) (void)directory.release();
  return list_names(dir, name);
}

Result<std::string> real_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), ::free);
  if (!resolved) return last_error(path);
  return std::string(resolved.get());
}

Result<std::string> read_link(const std::string& path) {
  std::string target(4096, '\0');
  ssize_t n = ::readlink(path.c_str(), target.data(), target.size());
  if (n < 0) return last_error("reading link " + path);
  target.resize(static_cast<std::size_t>(n));
  return target;
}

std::optional<std::uint64_t> free_bytes(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

bool is_full(const std::string& path) {
  auto free = free_bytes(path);
  return free && *free < (1U << 20U);
}

}  // namespace sf::os
