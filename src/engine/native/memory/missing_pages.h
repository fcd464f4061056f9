// Memory that is not there at first: brings its pages from where they were written down, when they
// are touched or without being asked for.
#pragma once

#include "engine/native/memory/watched_memory.h"

namespace sf::waypoint::native {

// Answers what has happened to served memory: pages that were touched, moves, removals, forks.
// Returns whether anything had.
bool answer_events(WatchedProcesses& table);
// Brings a part of what the child lacks whose turn it is. A child that lacks nothing is forgotten:
// its memory is like any other then.
void complete_some(WatchedProcesses& table);

}  // namespace sf::waypoint::native
