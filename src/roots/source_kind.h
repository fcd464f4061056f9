// What a user gave us: a root file system, or an image of one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::roots {

// Is this directory an OCI image layout?
bool is_image_layout(const std::string& directory);

// Does this archive hold an image (docker save, or a tar of an OCI layout), and not a root file
// system itself? Looks at the names of members until that is clear: in a root, after the first one.
Result<bool> holds_image(const std::string& archive);

// Pure. Could an archive that holds an image have a member of this name?
bool may_be_in_image(std::string_view name);
// Is an archive with this member, beside others that may be in images, an image?
bool shows_image(std::string_view name);

}  // namespace sf::roots
