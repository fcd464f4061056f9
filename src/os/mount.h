// Mounts. Detached mounts (fsmount) are owned by a descriptor and vanish with it, so a killed
// process leaves none.
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

// A new mount that is attached nowhere. `attributes` are MOUNT_ATTR_*.
Result<UniqueFd> mount_detached(const std::string& fs_type, const std::vector<MountOption>& options,
                                unsigned attributes = 0);
Status attach_mount(int mount_fd, const std::string& target);
// No mount made here travels to other namespaces, and none of theirs here.
Status make_mounts_private();
// No mount made here travels to other namespaces, but theirs come here, and what they unmount is
// unmounted here: else a file system would stay busy for as long as this namespace lives.
Status make_mounts_follow();

// Where something is mounted below the directory `root`, sorted and each once; the text is that of
// /proc/self/mountinfo. Pure.
std::vector<std::string> mount_points_below(std::string_view mountinfo, const std::string& root);

}  // namespace sf::os
