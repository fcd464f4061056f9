// Resolves a root's source (a directory, an archive, an image, a stored root) to a directory.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/daemon/daemon_start.h"
#include "roots/prepare_root.h"

namespace sf::cli {

enum class Progress { kShown, kHidden };

// Directories, engines' images and missing sources are returned unchanged; the daemon checks them.
// Everything else is unpacked once.
Result<roots::RootImage> root_from(const std::string& source, const DaemonLocation& location,
                                   Progress progress);

}  // namespace sf::cli
