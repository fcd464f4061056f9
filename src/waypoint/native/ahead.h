// May a tree be brought back before anybody wants it? Pure.
#pragma once

#include <optional>
#include <string>

#include "waypoint/native/image.h"

namespace sf::waypoint::native {

// Why not: a clock would go on in it, or it would take much memory. Nothing: it may. `lazy`: large
// memory comes when it is touched.
std::optional<std::string> reason_not_ahead(const TreeImage& tree, bool lazy);

}  // namespace sf::waypoint::native
