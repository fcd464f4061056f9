// Files: read, write, publish atomically. Every descriptor is close-on-exec.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

Result<UniqueFd> open_file(const std::string& path, int flags, mode_t mode = 0600);
Result<UniqueFd> open_at(int dir_fd, const std::string& path, int flags, mode_t mode = 0600);

// Reads at most `cap` bytes; a longer file is an error, not a truncation.
Result<std::string> read_file(const std::string& path, std::size_t cap = 16U << 20U);
// Everything that can be read now from a non-blocking descriptor, appended to `out`; false at end
// of file.
Result<bool> read_available(int fd, std::string& out, std::size_t cap);
Status write_all(int fd, std::string_view bytes);
Status write_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);
// Writes beside `path` and renames over it: readers see the old or the new file, never half of one.
Status publish_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);

Status make_directories(const std::string& path, mode_t mode = 0700);
Status rename_path(const std::string& from, const std::string& to);
// Each gets the other's name, at once.
Status exchange_paths(const std::string& one, const std::string& other);
bool exists(const std::string& path);
bool is_directory(const std::string& path);
// Room for ordinary users on the file system that holds `path`.
std::optional<std::uint64_t> free_bytes(const std::string& path);
// Less than a MiB left on the file system of this path?
bool is_full(const std::string& path);
Result<std::vector<std::string>> list_directory(const std::string& path);
// `name`: for errors.
Result<std::vector<std::string>> list_directory(UniqueFd directory, const std::string& name);
Result<std::string> real_path(const std::string& path);
Result<std::string> read_link(const std::string& path);
// Path of an open descriptor for calls that only take paths.
inline std::string fd_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace sf::os
