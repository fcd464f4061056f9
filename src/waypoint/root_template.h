// What every branch finds in its root beside the base: /dev with the harmless few devices, empty
// /tmp and /run, places for /proc and /sys, our init. Written once into a file layer; new branches
// start from a copy of it.
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
  // The directories of the base whose owner, mode and times the template shows: base_root, and
  // those on the way to `hidden`. Filled by look_at_base().
  std::map<std::string, struct stat> looks = {};
};

// Checks that the base can carry a shell; the error says what is missing.
Status check_base_root(const std::string& base_root);
// Looks at the base once, so that name and content of a template are of the same moment.
Status look_at_base(RootTemplate& wanted);
// Name of the template file layer for this base as it is now; the same name for the same content.
// Only the times of the directories on the way to `hidden` are not part of it: they change whenever
// something is made beside the store. Requires: look_at_base().
Result<std::string> template_name(const RootTemplate& wanted);
// Requires: look_at_base().
Status write_template(const RootTemplate& wanted, const FileLayerPaths& file_layer);

}  // namespace sf::waypoint
