// What people name as a root: a directory, an archive or image, a root that is kept; and how it
// becomes a directory.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/daemon/daemon_start.h"
#include "roots/prepare_root.h"

namespace sf::cli {

enum class Progress { kShown, kHidden };

// Directories and engines' images are the daemon's to judge, and so is what is not there at all:
// these come back as they are. All else is unpacked, once.
Result<roots::RootImage> root_from(const std::string& source, const DaemonLocation& location,
                                   Progress progress);

}  // namespace sf::cli
