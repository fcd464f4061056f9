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
// Appends to `out` all bytes that a non-blocking descriptor has now. Returns false at end of file.
Result<bool> read_available(int fd, std::string& out, std::size_t cap);
Status write_all(int fd, std::string_view bytes);
Status write_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);
// Writes a draft beside `path` and renames it over `path`: readers see either the old or the new
// file.
Status publish_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);

Status make_directories(const std::string& path, mode_t mode = 0700);
Status rename_path(const std::string& from, const std::string& to);
// Swaps the two names atomically.
Status exchange_paths(const std::string& one, const std::string& other);
bool exists(const std::string& path);
bool is_directory(const std::string& path);
// Bytes available to ordinary users on the file system that holds `path`.
std::optional<std::uint64_t> free_bytes(const std::string& path);
// Whether the file system of `path` has less than 1 MiB free.
bool is_full(const std::string& path);
Result<std::vector<std::string>> list_directory(const std::string& path);
// `name` appears in errors.
Result<std::vector<std::string>> list_directory(UniqueFd directory, const std::string& name);
Result<std::string> real_path(const std::string& path);
Result<std::string> read_link(const std::string& path);
// Path of an open descriptor for calls that only take paths.
inline std::string fd_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

}  // namespace sf::os
