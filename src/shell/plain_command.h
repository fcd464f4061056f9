// Recognizes commands with no hidden effect on the shell from their text. Pure.
#pragma once

#include <string_view>

namespace sf::waypoint {

// True if the text shows everything that the command makes the shell itself do, and none of it
// changes state that a fingerprint (shell_fingerprint.h) cannot show. If in doubt, false.
// Requires: the shell has no functions and no aliases.
bool is_plain(std::string_view command);

}  // namespace sf::waypoint
