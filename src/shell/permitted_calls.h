// The system calls that change a branch from outside: they type into its terminal, change the
// terminal's settings, and send signals. Each takes a ChangePermit (change_gate.h). Only this file,
// ShellChannel, TerminalInput, SideCommands and branch_files.h make such calls
// (tests/style/permits.py).
#pragma once

#include <termios.h>

#include <string_view>

#include "base/result.h"
#include "os/file.h"
#include "os/process.h"
#include "os/terminal.h"
#include "shell/change_gate.h"
#include "terminal/screen.h"

namespace sf::waypoint {

inline Status write_terminal(const ChangePermit& /*permit*/, int master, std::string_view bytes) {
  return os::write_all(master, bytes);
}

inline Status change_terminal(const ChangePermit& /*permit*/, int master, const termios& settings) {
  return os::set_terminal_settings(master, settings);
}

inline Status change_window(const ChangePermit& /*permit*/, int master, WindowSize size) {
  return os::set_window_size(master, size.rows, size.cols);
}

inline void drop_typed(const ChangePermit& /*permit*/, int master) { os::discard_typed(master); }

// Takes the unread bytes out of the terminal. Requires: no process reads or types during the call.
inline Result<os::TypedAhead> take_typed(const ChangePermit& /*permit*/, int master) {
  return os::take_typed(master);
}

inline void replace_typed(const ChangePermit& /*permit*/, int master, const os::TypedAhead& typed) {
  (void)os::put_typed(master, typed);
}

// Ignores the error if the process does not exist: the callers check the effect later.
inline void send_signal(const ChangePermit& /*permit*/, pid_t process, int number) {
  (void)os::signal_process(process, number);
}

inline void send_group_signal(const ChangePermit& /*permit*/, pid_t group, int number) {
  (void)os::signal_group(group, number);
}

// Needs no permit, because it puts the bytes back. Requires: no process reads or types during the
// call.
inline Result<os::TypedAhead> look_at_typed(int master) {
  SF_TRY_ASSIGN(os::TypedAhead typed, os::take_typed(master));
  (void)os::put_typed(master, typed);
  return typed;
}

}  // namespace sf::waypoint
