// BareCriu: CRIU on the process tree of a branch, without Waypoint. The baseline of the benchmarks.
//
// CRIU runs in the mount, network, UTS and IPC namespaces of the branch's keeper; only the PID and
// mount namespaces of the tree are foreign to it. /run is a tmpfs with CRIU's cache of kernel
// features. This is the fastest known way to call CRIU. A dump leaves the tree running. A restore
// makes a second tree in a new PID namespace over the same mounted root; it ends with its
// `Restored`.
//
// Uses `criu swrk`, because the command line cannot express that the master side of the terminal is
// outside the tree. Not thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/process.h"

namespace sf::bench {

enum class Launch {
  kTimed,  // starts CRIU for each request and includes its start, like a command line
  kReady,  // starts CRIU beforehand and measures only its work
};

class BareCriu {
 public:
  // Requires: `work_dir` exists and is visible to all keepers.
  BareCriu(std::string criu, std::string work_dir)
      : criu_(std::move(criu)), image_dir_(std::move(work_dir) + "/image") {}

  Result<microseconds> dump(pid_t keeper, Launch launch);

  struct Restored {
    microseconds took{0};
    os::Child init;
    os::UniqueFd terminal;
  };
  // Requires: dump() has succeeded.
  Result<Restored> restore(pid_t keeper, Launch launch);

 private:
  struct Worker {
    os::Child process;
    os::UniqueFd socket;
  };
  Result<Worker> start(pid_t keeper) const;
  Result<Restored> ask(pid_t keeper, const std::string& request, Launch launch) const;

  std::string criu_;
  std::string image_dir_;
};

}  // namespace sf::bench
