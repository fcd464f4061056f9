// Processes that a cgroup freezer holds (the old one or v2's), and how to let them go on.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/cgroup.h"

namespace sf::os {

// A switch of the freezer, and what to write there so that processes go on.
struct FreezerSwitch {
  std::string file;
  std::string resume;
  bool operator==(const FreezerSwitch&) const = default;
};

// Pure. The switches of the process's groups, from the outermost whose name begins so down to its
// own; `groups` is what /proc/<pid>/cgroup says. None when no group has such a name.
std::vector<FreezerSwitch> freezer_switches(const CgroupLayout& layout, const std::string& groups,
                                            const std::string& name_begin);

// Lets the process go on, whoever froze these groups. Does nothing when they are not frozen.
Status thaw(pid_t pid, const std::string& name_begin);

}  // namespace sf::os
