// Which commands can be told from their text not to change what a shell cannot be asked for. Pure.
#pragma once

#include <string_view>

namespace sf::waypoint {

// Whether all that the command makes the shell itself do stands in its text, and none of it changes
// what a fingerprint (shell_fingerprint.h) cannot show. Errs on the safe side.
// Requires of the shell: no functions, no aliases.
bool is_plain(std::string_view command);

}  // namespace sf::waypoint
