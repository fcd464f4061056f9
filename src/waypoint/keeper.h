// Keeper: the small process that owns one live branch and serves it on a Unix socket. It lives
// outside the tree and outlives the manager; when it ends, for whatever reason, the branch ends
// with it.
#pragma once

#include <string>

#include "base/result.h"
#include "waypoint/branch_config.h"

namespace sf::waypoint {

struct KeeperOptions {
  std::string store_dir;
  std::string id;  // names the socket, the live unit and the cgroup
  std::string criu;
  std::string criu_shim;  // preloaded into CRIU
  Network network = Network::kNone;
};

// Where things of a keeper lie below the store.
std::string keeper_dir(const std::string& store_dir, const std::string& id);
std::string keeper_socket(const std::string& store_dir, const std::string& id);
inline std::string live_unit(const std::string& keeper_id) { return "live-" + keeper_id; }

// Runs until the branch ends. Requires: single-threaded, root.
Status run_keeper(const KeeperOptions& options);

}  // namespace sf::waypoint
