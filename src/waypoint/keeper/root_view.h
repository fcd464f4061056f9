// RootView: the overlay that a branch has as its root: the base below, its file layer on top. It is
// mounted in the caller's private mount namespace and ends with it.
#pragma once

#include <string>

#include "base/result.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

// Mounts the overlay at `target`. Options: xino and index keep inode numbers and hard links
// constant over copy-up; redirect_dir allows directories of the base to be renamed; metacopy makes
// chmod of a large base file cheap; volatile: see FileLayerStore.
Status mount_root_view(const std::string& base_root, const FileLayerPaths& file_layer,
                       const std::string& target);

}  // namespace sf::waypoint
