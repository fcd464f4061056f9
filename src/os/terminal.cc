#include "os/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include "os/error.h"
#include "os/file.h"

namespace sf::os {

Result<UniqueFd> open_terminal_master(const std::string& pts_directory) {
  SF_TRY_ASSIGN(UniqueFd master,
                open_file(pts_directory + "/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK));
  int unlock = 0;
  if (::ioctl(master.get(), TIOCSPTLCK, &unlock) != 0) return last_error("unlocking the terminal");
  return master;
}

Status set_window_size(int terminal, unsigned short rows, unsigned short columns) {
  winsize size{rows, columns, 0, 0};
  if (::ioctl(terminal, TIOCSWINSZ, &size) != 0) return last_error("setting the window size");
  return Ok{};
}

Result<termios> terminal_settings(int terminal) {
  termios settings{};
  if (::tcgetattr(terminal, &settings) != 0) return last_error("reading terminal settings");
  return settings;
}

Status set_terminal_settings(int terminal, const termios& settings) {
  if (::tcsetattr(terminal, TCSANOW, &settings) != 0)
    return last_error("changing terminal settings");
  return Ok{};
}

pid_t foreground_group(int master) {
  pid_t group = 0;
  return ::ioctl(master, TIOCGPGRP, &group) == 0 ? group : 0;
}

void discard_typed(int master) { ::ioctl(master, TCFLSH, TCOFLUSH); }

}  // namespace sf::os
