// Corrects CRIU's image of the branch's terminal. CRIU asks some process that has the terminal open
// for the terminal's session. If that process is a daemon of another session, the answer is "none",
// and the image cannot be restored. The keeper knows the right session. Pure.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::waypoint::criu {

// `image`: content of tty-info.img. Sets session and group of terminal 0 if the image has none.
// kCorrupt if `image` is malformed.
Result<std::string> with_terminal_session(const std::string& image, unsigned session,
                                          unsigned group);

}  // namespace sf::waypoint::criu
