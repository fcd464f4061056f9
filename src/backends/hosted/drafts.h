// Drafts: files that take long to make, under another name until they are whole.
#pragma once

#include <string>

namespace sf::backends {

inline constexpr const char* kDraftEnd = ".draft";

// Those of somebody who was killed. Requires: nobody makes any in this directory now.
void remove_drafts(const std::string& directory);

}  // namespace sf::backends
