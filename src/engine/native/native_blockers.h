// Finds what prevents a capture by the native engine, before anything in the tree changes. Pure.
#pragma once

#include <vector>

#include "engine/blocker.h"
#include "engine/native/facts.h"

namespace sf::waypoint::native {

// All blockers. None: the tree can be captured. Anything not known to be harmless is a blocker.
std::vector<Blocker> find_blockers(const TreeFacts& tree);

}  // namespace sf::waypoint::native
