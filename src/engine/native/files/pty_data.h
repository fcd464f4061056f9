// What waits in a terminal made inside: output that its master has not read, lines and half-typed
// lines that its slaves have not.
//
// The kernel shows none of it to who does not take it away. So it is taken, while everybody stands
// still, and put back at once: through the other end, with settings under which every byte goes
// through as it is and nothing is echoed. A restore puts it into the new terminal in the same way.
// A line keeps its end, be it a newline or an end of file; terminals that were stopped (^S, tcflow)
// are stopped again. Lost: how a line without a newline got its end.
#pragma once

#include <map>

#include "base/result.h"
#include "engine/native/image.h"

namespace sf::waypoint::native {

enum class Slaves { kOpen, kClosed };

// Pure. Settings under which bytes pass unchanged in both directions; `end_of_file` ends lines.
std::string quiet_settings(const std::string& settings, unsigned char end_of_file);

// `master`: a copy of the descriptor. Requires: all of `terminal` but its data is filled in.
Status capture_pty_data(int master, Slaves slaves, TerminalImage& terminal);
// `numbers`: pids as the engine sees them, by those of the branch. Requires: all processes stand.
Status bring_back_pty_data(const TreeImage& tree, const std::map<pid_t, pid_t>& numbers);

}  // namespace sf::waypoint::native
