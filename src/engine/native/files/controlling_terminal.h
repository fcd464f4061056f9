// The branch's terminal: /dev/pts/0, whose master the keeper holds.
//
// Saved: settings, window, owner, exclusive mode, the session it controls and the foreground group.
// Brought back:
// init opens a master on the new devpts and sets it up before there is a session, so that nobody
// gets a signal for it; the session's leader takes it before it forks, so that every process of the
// session has it, background jobs too. Unread input is the keeper's business. Further terminals:
// ptys.h.
#pragma once

#include "base/result.h"
#include "engine/native/files/files.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// `root`: the branch's init as this process numbers it.
Status capture_terminal(pid_t root, TerminalImage& terminal);

void make_terminal(ProgramWriter& program, const TerminalImage& terminal,
                   const FdLocations& locations);
// Of any terminal; `master`: a number.
void set_up_terminal(ProgramWriter& program, const TerminalImage& terminal, int master);
// By the leader of its session.
void take_terminal(ProgramWriter& program, const TerminalImage& terminal);
// Likewise, when all groups are there.
void set_foreground(ProgramWriter& program, const TerminalImage& terminal);
// By this process, when all have opened it: afterwards only those with CAP_SYS_ADMIN can.
Status bring_back_exclusive(int master, const TerminalImage& terminal);

}  // namespace sf::waypoint::native
