#include "os/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::os {
namespace {

constexpr std::size_t kMaxTyped = 65536;  // larger than a terminal's queue (4096)
constexpr auto kPassing = seconds(1);

UniqueFd open_slave(int master) {
  return UniqueFd(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

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

// Flushing the master discards bytes in transit; flushing the slave discards bytes already queued.
void discard_typed(int master) {
  ::ioctl(master, TCFLSH, TCOFLUSH);
  UniqueFd slave = open_slave(master);
  if (slave.valid()) ::ioctl(slave.get(), TCFLSH, TCIFLUSH);
}

std::optional<bool> has_typed(int master) {
  UniqueFd slave = open_slave(master);
  if (!slave.valid()) return std::nullopt;
  pollfd waiting{slave.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0;
}

Result<TypedAhead> take_typed(int master) {
  UniqueFd slave = open_slave(master);
  if (!slave.valid()) return last_error("opening the terminal");
  SF_TRY_ASSIGN(termios settings, terminal_settings(slave.get()));
  TypedAhead typed;
  if ((settings.c_lflag & ICANON) != 0) read_lines(slave.get(), typed);
  termios plain = settings;
  // An unfinished line can only be read in non-canonical mode. Nothing else changes: keys still in
  // transit are translated and echoed as before.
  plain.c_lflag &= ~static_cast<tcflag_t>(ICANON);
  plain.c_cc[VMIN] = 1;
  plain.c_cc[VTIME] = 0;
  SF_TRY(set_terminal_settings(slave.get(), plain));
  Result<bool> read = read_available(slave.get(), typed.bytes, kMaxTyped);
  SF_TRY(set_terminal_settings(slave.get(), settings));
  if (!read) return std::move(read).error();
  return typed;
}

Status put_typed(int master, const TypedAhead& typed) {
  if (typed.empty()) return Ok{};
  SF_TRY_ASSIGN(termios settings, terminal_settings(master));
  const char end = unused_character(typed.bytes);
  termios quiet = settings;
  quiet.c_iflag = kQuietInput;
  quiet.c_lflag &= static_cast<tcflag_t>(ICANON);
  set_only_meaning(quiet.c_cc, VMIN, VEOF, end);
  SF_TRY(set_terminal_settings(master, quiet));
  Status written = write_all(master, with_ends(typed, end));
  const bool is_canonical = (settings.c_lflag & ICANON) != 0;
  if (UniqueFd slave = open_slave(master); written && slave.valid())
    (void)await_readable(slave.get(), readable_bytes(typed, is_canonical),
                         Deadline::after(kPassing));
  SF_TRY(set_terminal_settings(master, settings));
  return written;
}

}  // namespace sf::os
