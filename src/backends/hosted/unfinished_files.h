// Drafts: unfinished files, under a temporary name until they are complete.
#pragma once

#include <string>

namespace sf::backends {

inline constexpr const char* kDraftEnd = ".draft";

// Removes drafts of killed processes. Requires: no thread makes a draft in this directory now.
void remove_drafts(const std::string& directory);

}  // namespace sf::backends
