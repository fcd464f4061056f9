// The system calls with which a branch is changed from outside: what is typed into its terminal,
// the terminal's settings, signals. Each takes a ChangePermit (change_gate.h). Code that serves a
// shell makes such calls here, in ShellChannel, TerminalInput, SideCommands and branch_files.h, and
// nowhere else (tests/style/permits.py).
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

// Out of the terminal. Requires: nobody reads or types meanwhile.
inline Result<os::TypedAhead> take_typed(const ChangePermit& /*permit*/, int master) {
  return os::take_typed(master);
}

inline void replace_typed(const ChangePermit& /*permit*/, int master, const os::TypedAhead& typed) {
  (void)os::put_typed(master, typed);
}

// Fails if there is no such process. Whoever sends a signal looks at what became of it later.
inline void send_signal(const ChangePermit& /*permit*/, pid_t process, int number) {
  (void)os::signal_process(process, number);
}

inline void send_group_signal(const ChangePermit& /*permit*/, pid_t group, int number) {
  (void)os::signal_group(group, number);
}

// Needs no permit: afterwards all is as it was. Requires: nobody reads or types meanwhile.
inline Result<os::TypedAhead> look_at_typed(int master) {
  SF_TRY_ASSIGN(os::TypedAhead typed, os::take_typed(master));
  (void)os::put_typed(master, typed);
  return typed;
}

}  // namespace sf::waypoint
