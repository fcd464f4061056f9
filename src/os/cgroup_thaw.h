// Resumes processes that a cgroup freezer (v1 or v2) has frozen.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/cgroup.h"

namespace sf::os {

// A control file of a freezer, and the value to write there to resume the processes.
struct FreezerSwitch {
  std::string file;
  std::string resume;
  bool operator==(const FreezerSwitch&) const = default;
};

// Pure. The switches of a process's groups, from the outermost group with a name that begins with
// `name_begin` down to the process's own group. Empty if no group has such a name. `groups` is the
// text of /proc/<pid>/cgroup.
std::vector<FreezerSwitch> freezer_switches(const CgroupLayout& layout, const std::string& groups,
                                            const std::string& name_begin);

// Thaws the groups of the process. Does nothing if they are not frozen.
Status thaw(pid_t pid, const std::string& name_begin);

}  // namespace sf::os
