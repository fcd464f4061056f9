// Ids of things that clients name.
#pragma once

#include <string>

namespace sf::service {

// The prefix and eight characters: no vowels, so no words; short enough to type.
std::string random_id(std::string prefix);

}  // namespace sf::service
