// What the members of an archive mean for a root file system: where they belong, what they hide,
// what of them is kept. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::roots {

// A member's name as a path in the root: "/", "/etc/passwd"; without "." and empty parts. A name
// that leads upward is refused: no honest archive has one.
Result<std::string> path_in_root(std::string_view name);

struct PathParts {
  std::string directory;
  std::string name;
};
// Requires: a path as path_in_root() makes it. "/" has no name.
PathParts split_path(std::string_view path);

// Layers of an image hide what the layers below them have by members with special names.
struct LayerMark {
  enum class Kind {
    kNone,      // an ordinary member
    kHidesOne,  // .wh.NAME hides NAME, beside it
    kHidesAll,  // .wh..wh..opq hides everything in its directory
    kNoise,     // other .wh..wh. names: bookkeeping of old storage drivers
  };
  Kind kind = Kind::kNone;
  std::string name;  // what kHidesOne hides
};
LayerMark layer_mark(std::string_view name);

// Of extended attributes, those of programs and users are kept. Left out are those by which
// overlays, security modules and the like steer themselves: they are not for an archive to set.
bool keeps_attribute(std::string_view name);

}  // namespace sf::roots
