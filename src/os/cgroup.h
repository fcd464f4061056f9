// Control groups: one group per branch in each hierarchy that has a controller we use. Works on
// pure v2 hosts and on hybrid hosts (v1 controllers beside a v2 tree). A group can only be removed
// after its last process has ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace sf::os {

// The mount points of the hierarchies, from /proc/self/mountinfo. Pure data.
struct CgroupLayout {
  std::string unified;                           // mount point of the v2 tree, or empty
  std::map<std::string, std::string> v1;         // controller -> mount point
  std::vector<std::string> unified_controllers;  // controllers of the v2 tree
  bool can_limit(const std::string& controller) const;
};
CgroupLayout parse_cgroup_mounts(const std::string& mountinfo);
CgroupLayout read_cgroup_layout();

struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> pids;
  std::optional<double> cpus;
};

// One limit: write `value` to `file` of a group.
struct LimitSetting {
  std::string controller;
  std::string file;
  std::string value;
};
// Pure. v1 and v2 name their files differently.
std::vector<LimitSetting> limit_settings(const CgroupLayout& layout, const CgroupLimits& limits);

class Cgroup {
 public:
  // Creates statefork/<name> in each hierarchy and sets the limits. Fails with kUnsupported if this
  // host cannot enforce a limit; the message names the limit and the reason.
  static Result<Cgroup> create(const CgroupLayout& layout, const std::string& name,
                               const CgroupLimits& limits);
  // Finds the group that create() made, to clean up after a crash.
  static Cgroup find(const CgroupLayout& layout, const std::string& name);
  static std::vector<std::string> list(const CgroupLayout& layout);

  // Files to write a pid to, so that a process enters the group in each hierarchy.
  std::vector<std::string> procs_files() const;
  const std::vector<std::string>& directories() const { return directories_; }
  // The processes in the group, as pids of the caller's PID namespace. Processes that are not
  // visible in that namespace are left out.
  std::vector<pid_t> processes() const;
  // Kills the remaining processes, then removes the directories. Fails with kBusy if some processes
  // do not end, or if they are invisible to the caller and the kernel cannot kill a whole group
  // (cgroup.kill: Linux 5.14, v2 only).
  Status remove(Deadline deadline) const;

 private:
  std::vector<std::string> directories_;
};

}  // namespace sf::os
