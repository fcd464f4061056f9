// The state of a live branch except its files, for comparisons.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "control/state_diff.h"
#include "waypoint/waypoint.h"

namespace sf::backends {

struct StateView {
  std::multiset<std::string> processes;  // command lines of all but the shell
  std::set<std::string> ports;
  std::string cwd;
  std::optional<std::map<std::string, std::string>> environment;  // nullopt: not available
};

// Reads /proc. Leaves the environment empty, because only the shell knows it.
StateView look_at(const waypoint::BranchPids& pids, waypoint::Network network);

// Pure. Adds the differences to `diff`.
void compare_views(const StateView& from, const StateView& to, control::StateDiff& diff);

}  // namespace sf::backends
