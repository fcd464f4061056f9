// What of a live branch can be seen beside its files, for comparing two of them.
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
  std::optional<std::map<std::string, std::string>> environment;  // nothing: could not be asked for
};

// From /proc; the environment is left for whoever may ask the shell.
StateView look_at(const waypoint::BranchPids& pids, waypoint::Network network);

// Pure. Adds what differs to `diff`.
void compare_views(const StateView& from, const StateView& to, control::StateDiff& diff);

}  // namespace sf::backends
