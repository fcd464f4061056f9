// Random ids for objects that clients name.
#pragma once

#include <string>

namespace sf::service {

// The prefix and eight characters. There are no vowels, so that no words appear.
std::string random_id(std::string prefix);

}  // namespace sf::service
