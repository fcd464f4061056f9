// Where a branch's init is forked: a process of ours that stands in the branch's control groups
// before there is a branch. Entering a group costs milliseconds (the kernel waits until nobody
// forks), being forked in one costs nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/process.h"

namespace sf::waypoint {

class CgroupForker {
 public:
  explicit CgroupForker(std::vector<std::string> cgroup_procs);
  CgroupForker(const CgroupForker&) = delete;
  CgroupForker& operator=(const CgroupForker&) = delete;
  ~CgroupForker();

  // Enters the groups now, so that fork_child() need not.
  Status warm_up();
  // Runs `body` in a new child of the calling thread, in the groups, in a cgroup namespace rooted
  // there, and in new PID and mount namespaces. The child has copies of the caller's memory and
  // descriptors, as after fork: only async-signal-safe calls; never returns. It has no rseq area,
  // and all signals blocked, and is killed when the calling thread ends.
  Result<os::Child> fork_child(void (*body)(void*), void* what);

 private:
  struct Helper;
  std::vector<std::string> cgroup_procs_;
  std::unique_ptr<Helper> helper_;
};

}  // namespace sf::waypoint
