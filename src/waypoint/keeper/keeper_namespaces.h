// The keeper's own namespaces: mount, UTS, IPC and (unless the host's is used) network
// namespaces. The branch's processes inherit all but the mounts, and so does CRIU. What the host
// mounts and unmounts is mounted and unmounted in the keeper; the keeper's own mounts are on its
// own tmpfs over /run, which the kernel keeps on top of whatever arrives there.
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
// CRIU probes the kernel once and keeps the findings in /run, if that is a tmpfs. Every keeper has
// a /run of its own, so the findings travel through the store.
// The first keeper of a boot has CRIU find out.
void load_criu_cache(const std::string& store_dir, const std::string& criu);

}  // namespace sf::waypoint
