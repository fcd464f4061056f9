// Names that users give to prepared roots, and their lookup. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::roots {

using RootNames = std::map<std::string, std::string>;  // name -> digest

// Allows letters, digits and . _ - : ; refuses paths, and names that look like a digest or an
// engine's image.
Status check_root_name(std::string_view name);

std::string to_text(const RootNames& names);
Result<RootNames> parse_root_names(std::string_view text);

// The digest for a name, a digest or the beginning of one (6 digits or more).
Result<std::string> find_root(std::string_view word, const RootNames& names,
                              const std::vector<std::string>& digests);

}  // namespace sf::roots
