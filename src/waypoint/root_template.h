// The files that every branch gets in its root in addition to the base: /dev with a few harmless
// devices, empty /tmp and /run, mount points for /proc and /sys, and our init. They are written
// once into a file layer; new branches start from a copy of it.
#pragma once

#include <string>

#include "base/result.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

struct RootTemplate {
  std::string base_root;    // real path
  std::string init_binary;  // host path of waypoint-init
  std::string
      hidden;  // a path below base_root the branch must not see (the store itself), or empty
};

// Checks that the base has everything a shell needs; the error names the missing part.
Status check_base_root(const std::string& base_root);
// The name of the template file layer for this base. Equal content has equal names.
Result<std::string> template_name(const RootTemplate& wanted);
Status write_template(const RootTemplate& wanted, const FileLayerPaths& file_layer);

}  // namespace sf::waypoint
