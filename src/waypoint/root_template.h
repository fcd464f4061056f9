// What every branch finds in its root beside the base: /dev with the harmless few devices, empty
// /tmp and /run, places for /proc and /sys, our init. Written once into a file layer; new branches
// start from a copy of it.
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

// Checks that the base can carry a shell; the error says what is missing.
Status check_base_root(const std::string& base_root);
// Name of the template file layer for this base; the same name for the same content.
Result<std::string> template_name(const RootTemplate& wanted);
Status write_template(const RootTemplate& wanted, const FileLayerPaths& file_layer);

}  // namespace sf::waypoint
