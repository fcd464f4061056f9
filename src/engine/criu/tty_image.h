// Corrections to CRIU's images about the branch's terminal, the one with number 0. Pure.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::waypoint::criu {

// CRIU asks some process that has the terminal open which session it belongs to. If that happens to
// be a daemon of another session, the answer is none, and the image cannot be restored. The keeper
// knows better. `image` is the content of tty-info.img. Terminals with number 0 that have no
// session get this one. kCorrupt when it is not such an image.
Result<std::string> with_terminal_session(const std::string& image, unsigned session,
                                          unsigned group);

// CRIU takes two open files of one terminal for its two ends. It makes the terminal the session's
// controlling terminal by the file that is left over. If the number of files is even, none is left,
// and the restored session has no controlling terminal: no SIGWINCH, no Ctrl-C. `files` is the
// content of files.img, `terminals` that of tty-info.img. If terminal 0 has an even number of
// files, one more is added, which no process has open: CRIU closes it after the restore. kCorrupt
// when one of them is not such an image.
Result<std::string> with_terminal_leader(const std::string& files, const std::string& terminals);

}  // namespace sf::waypoint::criu
