// A unified patch between two texts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sf::backends {

// No NUL bytes and valid UTF-8: something a person can read.
bool is_text(std::string_view content);

// Hunks with three lines of context, without the two header lines; empty for equal texts. Texts
// that have almost nothing in common are shown as one removal and one addition.
std::string unified_patch(std::string_view before, std::string_view after);

}  // namespace sf::backends
