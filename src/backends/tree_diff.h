// What differs between the files of two branches over the same base root.
//
// Only what either branch changed is looked at: its upper directory, as OverlayFS keeps it, names
// every path that can differ. Whiteouts and copied-up files are such names; below directories that
// hide or move what lies under them (opaque, redirect) everything is compared. Times alone are no
// difference.
#pragma once

#include <cstddef>

#include "control/state_diff.h"
#include "os/in_root.h"

namespace sf::backends {

struct FileSide {
  os::InRoot root;     // what the branch sees
  os::InRoot changed;  // its upper directory
};

struct TreeDiffLimits {
  std::size_t differences = 2000;
  std::size_t patch_file = 256U << 10U;  // a larger file has no patch
  std::size_t patches = 1U << 20U;       // of all patches together
};

// Adds to `diff`. What vanishes while it is compared is compared as not there.
void compare_trees(const FileSide& from, const FileSide& to, const TreeDiffLimits& limits,
                   control::StateDiff& diff);

}  // namespace sf::backends
