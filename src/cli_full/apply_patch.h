// Formats the changes of `apply` to a file, as a patch for `git apply` and `patch -p1`. Pure.
#pragma once

#include <string>

#include "explore/apply/apply_plan.h"

namespace sf::cli {

// Empty if the file needs no change. For binary files it says only that they differ.
std::string patch_of(const explore::ApplyStep& step);

}  // namespace sf::cli
