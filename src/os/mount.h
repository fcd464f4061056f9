// Mounts. A descriptor owns a detached mount (fsmount): the mount ends with its descriptor, so a
// killed process leaves none.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

struct MountOption {
  std::string key;
  std::string value;  // empty: a flag
};

// Makes a mount that is not attached to a path. `attributes` are MOUNT_ATTR_*.
Result<UniqueFd> mount_detached(const std::string& fs_type, const std::vector<MountOption>& options,
                                unsigned attributes = 0);
Status attach_mount(int mount_fd, const std::string& target);
// Mounts and unmounts propagate neither out of this namespace nor into it.
Status make_mounts_private();
// Mounts and unmounts propagate into this namespace but not out of it. Without the unmounts, a file
// system would stay busy for as long as this namespace exists.
Status make_mounts_follow();

// The mount points below the directory `root`, sorted and without duplicates. `mountinfo` is the
// text of /proc/self/mountinfo. Pure.
std::vector<std::string> mount_points_below(std::string_view mountinfo, const std::string& root);

}  // namespace sf::os
