// Unique names that cannot be guessed.
#pragma once

#include <string>

namespace sf::waypoint {

// Prefix, dash, 12 random hexadecimal digits.
std::string fresh_id(const std::string& prefix);

}  // namespace sf::waypoint
