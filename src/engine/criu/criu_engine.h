// CRIU as the process engine: one pre-spawned `criu swrk` per request, spoken to over its socket.
// CRIU runs in the branch's network and UTS namespaces, so that only PID and mount namespaces are
// foreign to it: it then dumps nothing of the others, which is most of its usual cost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace sf::waypoint {

struct CriuSetup {
  std::string criu;                       // path of the program
  std::string criu_shim;                  // preloaded (criu_shim.c)
  std::vector<std::string> engine_procs;  // where captures run
  std::vector<std::string> cgroup_procs;  // where restored trees live
};

std::unique_ptr<ProcessEngine> make_criu_engine(CriuSetup setup);

}  // namespace sf::waypoint
