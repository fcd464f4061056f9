// Rules for archive members in a root file system: their paths, whiteouts, and the attributes that
// are kept. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::roots {

// Converts a member's name to a path in the root: "/", "/etc/passwd"; removes "." and empty parts.
// Refuses names with "..", which no valid archive contains.
Result<std::string> path_in_root(std::string_view name);

struct PathParts {
  std::string directory;
  std::string name;
};
// Requires: the path comes from path_in_root(). "/" has no name.
PathParts split_path(std::string_view path);

// In an image, members with special names (whiteouts) hide files of the layers below.
struct LayerMark {
  enum class Kind {
    kNone,      // an ordinary member
    kHidesOne,  // .wh.NAME hides NAME in the same directory
    kHidesAll,  // .wh..wh..opq hides everything in its directory
    kNoise,     // other .wh..wh. names: bookkeeping of old storage drivers
  };
  Kind kind = Kind::kNone;
  std::string name;  // the name that kHidesOne hides
};
LayerMark layer_mark(std::string_view name);

// Keeps the extended attributes of programs and users. Drops attributes that control overlays,
// security modules and the like: an archive must not set them.
bool keeps_attribute(std::string_view name);

}  // namespace sf::roots
