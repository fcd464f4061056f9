// The directory part of a path.
#pragma once

#include <algorithm>
#include <string>

namespace sf::waypoint::native {

// Pure. Requires: an absolute path. The directory of "/x" is "/".
inline std::string directory_of(const std::string& path) {
  return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

}  // namespace sf::waypoint::native
