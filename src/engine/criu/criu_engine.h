// CRIU as the process engine: one pre-spawned `criu swrk` per request, driven over its socket. CRIU
// runs in the branch's network and UTS namespaces, so that only the PID and mount namespaces differ
// from its own. It then does not dump the others, which is most of its usual cost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace sf::waypoint {

struct CriuSetup {
  std::string criu;                       // path of the program
  std::string criu_shim;                  // preloaded (criu_shim.c)
  std::vector<std::string> engine_procs;  // cgroups of capture workers
  std::vector<std::string> cgroup_procs;  // cgroups of restored trees
};

std::unique_ptr<ProcessEngine> make_criu_engine(CriuSetup setup);

}  // namespace sf::waypoint
