#include "waypoint/host/host_programs.h"

#include <sys/stat.h>

#include "os/file.h"
#include "os/host_info.h"

namespace sf::waypoint {
namespace {

// The places in a usual PATH where bash is found in practice.
constexpr const char* kBashPaths[] = {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"};

std::string directory_of_this_program() {
  auto self = os::read_link("/proc/self/exe");
  return self ? self->substr(0, self->rfind('/')) : "";
}

}  // namespace

Helpers look_for_helpers(const std::string& dir) {
  std::string home = dir.empty() ? directory_of_this_program() : dir;
  auto helper = [&](const char* name, bool (*usable)(const std::string&)) {
    std::string path = home + "/" + name;
    return Helper{name, path, usable(path)};
  };
  return {home, helper("waypoint-keeper", os::is_executable),
          helper("waypoint-init", os::is_readable),  // copied into each root
          helper("libwaypoint-criu-shim.so", os::is_readable)};
}

Result<Helpers> find_helpers(const std::string& dir) {
  Helpers helpers = look_for_helpers(dir);
  for (const Helper& helper : helpers.all()) {
    if (helper.usable) continue;
    return fail(ErrorCode::kNotFound, helper.path + " is missing or cannot be used",
                "set helper_dir to the directory of " + helper.name);
  }
  return helpers;
}

Result<std::string> find_mkfs_btrfs() {
  if (auto found = os::find_program("mkfs.btrfs", "")) return *found;
  return fail(ErrorCode::kUnsupported, "mkfs.btrfs is not installed",
              "apt-get install btrfs-progs");
}

std::optional<std::string> find_bash(const std::string& root) {
  for (const char* path : kBashPaths) {
    // A link's target is relative to `root`, so check only that the entry exists.
    struct stat info {};
    if (::lstat((root + path).c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) return path;
  }
  return std::nullopt;
}

}  // namespace sf::waypoint
