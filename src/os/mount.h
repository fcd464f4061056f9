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
// A copy of an attached or detached mount, attached nowhere.
Result<UniqueFd> clone_mount(int dir_fd, const std::string& path);

Status unmount(const std::string& target);
// No mount made here travels to other namespaces, and none of theirs here.
Status make_mounts_private();

}  // namespace sf::os
