// Distinguishes a root file system from an image of one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::roots {

// Whether the directory is an OCI image layout.
bool is_image_layout(const std::string& directory);

// Whether the archive holds an image (docker save, or a tar of an OCI layout) instead of a root
// file system. Reads the names of members until the answer is known: in a root, only the first one.
Result<bool> holds_image(const std::string& archive);

// Pure. Whether an image's archive can have a member of this name.
bool may_be_in_image(std::string_view name);
// Pure. Whether a member of this name shows that the archive is an image, if all other members may
// be in images.
bool shows_image(std::string_view name);

}  // namespace sf::roots
