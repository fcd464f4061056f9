// Control groups: one group per branch in every hierarchy that carries a controller we use, on pure
// v2 hosts and on hybrid ones (v1 controllers beside a v2 tree) alike. A group is removed when its
// last process is gone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace sf::os {

// Where the hierarchies are mounted. Pure data, from /proc/self/mountinfo.
struct CgroupLayout {
  std::string unified;                           // mount point of the v2 tree, or empty
  std::map<std::string, std::string> v1;         // controller -> mount point
  std::vector<std::string> unified_controllers;  // what the v2 tree can limit
  bool can_limit(const std::string& controller) const;
};
CgroupLayout parse_cgroup_mounts(const std::string& mountinfo);
CgroupLayout read_cgroup_layout();

struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> pids;
  std::optional<double> cpus;
};

// One limit as the kernel takes it: `value`, written to `file` of a group.
struct LimitSetting {
  std::string controller;
  std::string file;
  std::string value;
};
// Pure. v1 and v2 name their files differently.
std::vector<LimitSetting> limit_settings(const CgroupLayout& layout, const CgroupLimits& limits);

class Cgroup {
 public:
  // Makes statefork/<name> everywhere and sets the limits. A limit this host cannot hold is
  // kUnsupported, and the message says which and why.
  static Result<Cgroup> create(const CgroupLayout& layout, const std::string& name,
                               const CgroupLimits& limits);
  // Finds what create() made, for clean-up after a crash.
  static Cgroup find(const CgroupLayout& layout, const std::string& name);
  static std::vector<std::string> list(const CgroupLayout& layout);

  // Files to write a pid to, so that a process enters the group in each hierarchy.
  std::vector<std::string> procs_files() const;
  const std::vector<std::string>& directories() const { return directories_; }
  // Pids inside, by the caller's namespace; without those that are not visible in it.
  std::vector<pid_t> processes() const;
  // Kills what is left inside, then removes the directories. kBusy: some processes do not end, or
  // are invisible to the caller and this kernel does not kill a whole group (cgroup.kill, Linux
  // 5.14, v2 only).
  Status remove(Deadline deadline) const;

 private:
  std::vector<std::string> directories_;
};

}  // namespace sf::os
