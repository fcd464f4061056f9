// Corrections to CRIU's images about the branch's terminal, the one with number 0. Pure.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::waypoint::criu {

// CRIU asks some process that has the terminal open for the terminal's session. If that process is
// a daemon of another session, the answer is "none", and the image cannot be restored. The keeper
// knows the right session. `image`: content of tty-info.img. Sets session and group of terminal 0
// if the image has none. kCorrupt if `image` is malformed.
Result<std::string> with_terminal_session(const std::string& image, unsigned session,
                                          unsigned group);

// CRIU treats two open files of one terminal as its two ends. It restores the session's controlling
// terminal with the file that is left over. If the number of files is even, none is left, and the
// restored session has no controlling terminal: Ctrl-C and window changes have no effect. `files`:
// content of files.img. `terminals`: content of tty-info.img. Adds one file to an even number of
// files of terminal 0. No process has it open; CRIU closes it after the restore. kCorrupt if an
// image is malformed.
Result<std::string> with_terminal_leader(const std::string& files, const std::string& terminals);

}  // namespace sf::waypoint::criu
