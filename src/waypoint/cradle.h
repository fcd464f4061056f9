// Where a branch's init is born: a process of ours that stands in the branch's control groups
// before there is a branch. Entering a group costs milliseconds (the kernel waits until nobody
// forks), being born in one nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/process.h"

namespace sf::waypoint {

class Cradle {
 public:
  explicit Cradle(std::vector<std::string> cgroup_procs);
  Cradle(const Cradle&) = delete;
  Cradle& operator=(const Cradle&) = delete;
  ~Cradle();

  // Enters the groups now, so that bear() need not.
  Status warm_up();
  // Runs `body` in a new child of the calling thread, in the groups, in a cgroup namespace rooted
  // there, and in new PID and mount namespaces. The child has copies of the caller's memory and
  // descriptors, as after fork: only async-signal-safe calls; never returns. It has no rseq area,
  // and all signals blocked, and is killed when the calling thread ends.
  Result<os::Child> bear(void (*body)(void*), void* what);

 private:
  struct Nurse;
  std::vector<std::string> cgroup_procs_;
  std::unique_ptr<Nurse> nurse_;
};

}  // namespace sf::waypoint
