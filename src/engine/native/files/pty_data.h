// Unread data of a terminal created in the branch: output that its master has not read; lines and
// half-typed lines that its slaves have not read.
//
// The kernel does not show this data without consuming it. So the engine reads it while the tree is
// stopped, and writes it back at once through the other end, with settings that pass every byte
// unchanged and echo nothing. A restore writes it into the new terminal in the same way. Each line
// keeps its end, a newline or an end of file. If output was stopped (^S, tcflow), it is stopped
// again. Lost: which character ended a line without a newline.
#pragma once

#include <map>

#include "base/result.h"
#include "engine/native/image.h"

namespace sf::waypoint::native {

enum class Slaves { kOpen, kClosed };

// Pure. Settings that pass bytes unchanged in both directions. `end_of_file`: ends lines.
std::string quiet_settings(const std::string& settings, unsigned char end_of_file);

// `master`: a copy of the descriptor. Requires: all of `terminal` except its data is filled in.
Status capture_pty_data(int master, Slaves slaves, TerminalImage& terminal);
// `numbers`: pids in the engine's namespace, by pid in the branch. Requires: all processes are
// stopped.
Status bring_back_pty_data(const TreeImage& tree, const std::map<pid_t, pid_t>& numbers);

}  // namespace sf::waypoint::native
