// Facts about this machine and this process that can be read without side effects. Parsers are
// pure.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::os {

struct KernelVersion {
  int major = 0;
  int minor = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>
  auto operator<=>(const KernelVersion&) const = default;
};
std::optional<KernelVersion> parse_kernel_version(std::string_view release);
std::string kernel_release();
// Changes with each boot of the machine; "unknown" if /proc does not provide it.
std::string boot_id();

// Names as in capabilities(7), lower case and without CAP_: "sys_admin".
using CapabilitySet = std::set<std::string>;
CapabilitySet all_capabilities();
// CapEff in the text of /proc/pid/status; empty if the line is missing.
CapabilitySet parse_effective_capabilities(std::string_view status);
// Whether `uid_map` (the text of /proc/self/uid_map) maps every user to itself, as in the host's
// own user namespace.
bool maps_all_users(std::string_view uid_map);

bool is_root();
bool is_executable(const std::string& path);
// True if the path is a file that this process may read.
bool is_readable(const std::string& path);
// Searches `search_path` ("a:b:c"), then the usual system directories.
std::optional<std::string> find_program(const std::string& name, std::string_view search_path);

struct DirectoryFacts {
  std::string existing;  // the path itself, or its nearest ancestor that exists
  std::string file_system;
  std::uint64_t free_bytes = 0;
  bool read_only = false;
  bool writable = false;  // by this process
};
// Describes the directory at `path`, or its nearest existing ancestor. Creates nothing. Fails if a
// part of the path is not a directory.
Result<DirectoryFacts> look_at_directory(const std::string& path);

std::uint64_t hard_open_files_limit();

}  // namespace sf::os
