// Loads missing pages of served memory from where they were saved, on a fault or ahead of one.
#pragma once

#include "engine/native/memory/watched_processes.h"

namespace sf::waypoint::native {

// Handles events of served memory: page faults, moves, removals, forks. Returns true if there were
// any.
bool answer_events(WatchedProcesses& table);
// Loads a part of the missing memory of the next child. A child with complete memory is forgotten
// and no longer served.
void complete_some(WatchedProcesses& table);

}  // namespace sf::waypoint::native
