// May a tree be captured, or brought back, before anybody wants it? Pure.
#pragma once

#include <optional>
#include <string>

#include "engine/native/image.h"

namespace sf::waypoint::native {

// What moves by itself in a tree that stands still: a clock that is set.
std::optional<std::string> running_clock(const TreeImage& tree);

// Why not: a clock would go on in it, or it would take much memory. Nothing: it may. `lazy`: large
// memory comes when it is touched.
std::optional<std::string> reason_not_to_speculate(const TreeImage& tree, bool lazy);

}  // namespace sf::waypoint::native
