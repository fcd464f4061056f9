// BareCriu: CRIU on a branch's own tree with nothing of Waypoint around it: the baseline.
//
// It runs where the branch's keeper lives (mount, network, UTS and IPC namespaces; /run is a tmpfs
// with CRIU's cache of kernel features), so that only the PID and mount namespaces of the tree are
// foreign to it: the fastest way known to call it. A dump leaves the tree running. A restore makes
// a second tree, in a PID namespace of its own, over the same mounted root; it lives until its
// owner lets go.
//
// It is spoken to over `criu swrk`, since the command line cannot say that the terminal's master
// side is outside the tree. Not thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/process.h"

namespace sf::bench {

enum class Launch {
  kTimed,  // the program is started for the request and its start counts, as for a command line
  kReady,  // it was started before and waits: what is measured is CRIU's work alone
};

class BareCriu {
 public:
  // Requires: `work_dir` exists and is seen from all keepers.
  BareCriu(std::string criu, std::string work_dir)
      : criu_(std::move(criu)), image_dir_(std::move(work_dir) + "/image") {}

  Result<microseconds> dump(pid_t keeper, Launch launch);

  struct Restored {
    microseconds took{0};
    os::Child init;
    os::UniqueFd terminal;
  };
  // Requires: dump() succeeded before.
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
