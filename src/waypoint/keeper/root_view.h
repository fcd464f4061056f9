// RootView: the overlay a branch sees as its root: base below, its file layer on top. Lives in the
// caller's private mount namespace and dies with it.
#pragma once

#include <string>

#include "base/result.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

// Mounts at `target`. xino and index keep inode numbers and hard links constant over copy-up;
// redirect_dir lets directories of the base be renamed; metacopy makes chmod of a large base file
// cheap; volatile: see FileLayerStore.
Status mount_root_view(const std::string& base_root, const FileLayerPaths& file_layer,
                       const std::string& target);

}  // namespace sf::waypoint
