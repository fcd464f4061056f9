// Keeper: the small process that owns one live branch and serves it on a Unix socket. It runs
// outside the tree and outlives the manager. If the keeper ends for any reason, the branch ends,
// too.
#pragma once

#include <string>

#include "base/result.h"
#include "shell/branch_config.h"

namespace sf::waypoint {

struct KeeperOptions {
  std::string store_dir;
  std::string id;  // names the socket, the live file layer and the cgroup
  std::string criu;
  std::string criu_shim;  // preloaded into CRIU
  Network network = Network::kNone;
  bool for_criu = false;  // it will probably restore a CRIU image
};

// Runs until the branch ends. Requires: single-threaded, root.
Status run_keeper(const KeeperOptions& options);

}  // namespace sf::waypoint
