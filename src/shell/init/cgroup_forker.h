// CgroupForker: forks a branch's init from a helper process that has entered the branch's control
// groups ahead of time. Entering a group takes milliseconds, because the kernel waits until no
// process forks. A child that is forked in a group is in it at no cost.
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

  // Starts the helper and enters the groups now, so that fork_child() is fast.
  Status warm_up();
  // Runs `body(what)` in a new child of the calling thread, in the groups, in a cgroup namespace
  // rooted there, and in new PID and mount namespaces. The child has copies of the caller's memory
  // and descriptors, as after fork: `body` may only make async-signal-safe calls and must not
  // return. The child has no rseq area, has all signals blocked, and is killed when the calling
  // thread ends.
  Result<os::Child> fork_child(void (*body)(void*), void* what);

 private:
  struct Helper;
  std::vector<std::string> cgroup_procs_;
  std::unique_ptr<Helper> helper_;
};

}  // namespace sf::waypoint
