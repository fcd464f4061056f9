// Compares the files of two branches with the same base root.
//
// Only the branches' changes are read: an OverlayFS upper directory names every path that can
// differ, including whiteouts and copied-up files. Below a directory that hides or moves its lower
// directory (opaque, redirect), all files are compared. A different time alone is not a difference.
#pragma once

#include <cstddef>

#include "control/state_diff.h"
#include "os/in_root.h"

namespace sf::backends {

struct FileSide {
  os::InRoot root;     // the files that the branch sees
  os::InRoot changed;  // its upper directory
};

struct TreeDiffLimits {
  std::size_t differences = 2000;
  std::size_t patch_file = 256U << 10U;  // a larger file has no patch
  std::size_t patches = 1U << 20U;       // total size of all patches
};

// Adds the differences to `diff`. A file that vanishes during the comparison counts as missing.
void compare_trees(const FileSide& from, const FileSide& to, const TreeDiffLimits& limits,
                   control::StateDiff& diff);

}  // namespace sf::backends
