// The keeper's own namespaces: mount, UTS, IPC and network (unless the branch uses the host's). The
// branch's processes and CRIU inherit all of them except the mount namespace. Mounts and unmounts
// of the host propagate into the keeper. The keeper's own mounts are on its tmpfs over /run, which
// stays on top of propagated mounts.
#pragma once

#include <string>

#include "base/result.h"
#include "shell/branch_config.h"

namespace sf::waypoint {

inline constexpr const char* kFileLayersMount = "/run/units";
inline constexpr const char* kRootMount = "/run/root";

// Requires: single-threaded.
Status enter_keeper_namespaces(Network network);
Status set_hostname(const std::string& name);
std::string current_hostname();
// CRIU probes the kernel once and caches the results in /run, if that is a tmpfs. Each keeper has
// its own /run, so the cache is copied through the store. The first keeper of a boot runs the
// probes.
void load_criu_cache(const std::string& store_dir, const std::string& criu);

}  // namespace sf::waypoint
