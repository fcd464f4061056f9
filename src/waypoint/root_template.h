// The files that every branch gets in its root in addition to the base: /dev with a few harmless
// devices, empty /tmp and /run, mount points for /proc and /sys, and our init. They are written
// once into a file layer; new branches start from a copy of it.
#pragma once

#include <sys/stat.h>

#include <map>
#include <string>

#include "base/result.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

struct RootTemplate {
  std::string base_root;    // real path
  std::string init_binary;  // host path of waypoint-init
  std::string
      hidden;  // a path below base_root the branch must not see (the store itself), or empty
  // Attributes of base_root, of `hidden` and of its parent directories, which the template shows.
  // Filled by look_at_base().
  std::map<std::string, struct stat> looks = {};
};

// Checks that the base has everything a shell needs; the error names the missing part.
Status check_base_root(const std::string& base_root);
// Reads the attributes of the base once, so that a template's name and content agree.
Status look_at_base(RootTemplate& wanted);
// The name of the template file layer for this base. Equal content has equal names, except for the
// times of the parent directories of `hidden`: they change with every file made beside the store.
// Requires: look_at_base().
Result<std::string> template_name(const RootTemplate& wanted);
// Requires: look_at_base().
Status write_template(const RootTemplate& wanted, const FileLayerPaths& file_layer);

}  // namespace sf::waypoint
