// Makes a unified patch between two texts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sf::backends {

// Valid UTF-8 without NUL bytes.
bool is_text(std::string_view content);

// Hunks with three lines of context, without the two header lines; empty for equal texts. If the
// texts have almost nothing in common, the patch is one removal and one addition.
std::string unified_patch(std::string_view before, std::string_view after);

}  // namespace sf::backends
