// Decides whether a tree may be held by a precapture, or prerestored. Pure.
#pragma once

#include <optional>
#include <string>

#include "engine/native/image.h"

namespace sf::waypoint::native {

// Names a timer that runs even while the tree is stopped. Nothing: none is set.
std::optional<std::string> running_clock(const TreeImage& tree);

// Why a tree must not be prerestored: a timer is set in it, or it would load much memory. Nothing:
// it may be prerestored. `lazy`: large memory is loaded on demand.
std::optional<std::string> reason_not_to_speculate(const TreeImage& tree, bool lazy);

}  // namespace sf::waypoint::native
