// The branch's terminal, /dev/pts/0. The keeper holds its master.
//
// Saved: settings, window, owner, exclusive mode, the session it controls and the foreground group.
// Restored: init opens a master on the new devpts and sets it up before any session exists, so that
// no process gets a signal for it. The session's leader acquires the terminal before it forks, so
// that every process of the session has it, background jobs too. The keeper handles unread input.
// Further terminals: ptys.h.
#pragma once

#include "base/result.h"
#include "engine/native/files/files.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// `root`: pid of the branch's init in this process's namespace.
Status capture_terminal(pid_t root, TerminalImage& terminal);

void make_terminal(ProgramWriter& program, const TerminalImage& terminal,
                   const FdLocations& locations);
// For any terminal. `master`: a descriptor number.
void set_up_terminal(ProgramWriter& program, const TerminalImage& terminal, int master);
// Run by the leader of the terminal's session.
void take_terminal(ProgramWriter& program, const TerminalImage& terminal);
// Run by the leader once all process groups exist.
void set_foreground(ProgramWriter& program, const TerminalImage& terminal);
// Run by the engine once all processes have opened it: then only CAP_SYS_ADMIN can open it.
Status bring_back_exclusive(int master, const TerminalImage& terminal);

}  // namespace sf::waypoint::native
