// What keeps the native engine from capturing a tree. Found before anything in it is touched. Pure.
#pragma once

#include <vector>

#include "engine/blocker.h"
#include "engine/native/facts.h"

namespace sf::waypoint::native {

// All of them; none: the tree can be captured. Whatever is not known to be harmless is one.
std::vector<Blocker> find_blockers(const TreeFacts& tree);

}  // namespace sf::waypoint::native
