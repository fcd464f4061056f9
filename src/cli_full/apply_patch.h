// What `apply` would do to a file, as a patch that `git apply` and `patch -p1` take. Pure.
#pragma once

#include <string>

#include "explore/apply/apply_plan.h"

namespace sf::cli {

// Empty when there is nothing to do. Of files that are no text it only says that they differ.
std::string patch_of(const explore::ApplyStep& step);

}  // namespace sf::cli
