#include "os/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::os {
namespace {

constexpr std::size_t kMaxTyped = 65536;  // a terminal's queue holds 4096
constexpr auto kPassing = seconds(1);

// What was written passes through the kernel's own thread, which goes by the settings of that
// moment. Returns when so many bytes can be read.
void await_typed(int master, std::size_t bytes) {
  UniqueFd slave(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!slave.valid()) return;
  for (Deadline patience = Deadline::after(kPassing); !patience.passed();) {
    pollfd waiting{slave.get(), POLLIN, 0};
    (void)::poll(&waiting, 1, 0);  // the kernel hands on what is under way
    int there = 0;
    if (::ioctl(slave.get(), FIONREAD, &there) != 0 || static_cast<std::size_t>(there) >= bytes)
      return;
    (void)::poll(nullptr, 0, 1);
  }
}

// A read returns one line, or what stands before an end of file.
void take_lines(int slave, TypedAhead& typed) {
  for (pollfd waiting{slave, POLLIN, 0};
       ::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0;) {
    char line[4096];
    const ssize_t n = ::read(slave, line, sizeof line);
    if (n < 0) return;
    typed.bytes.append(line, static_cast<std::size_t>(n));
    if (n == 0 || line[n - 1] != '\n') typed.ends.push_back(typed.bytes.size());
  }
}

char unused_character(const std::string& bytes) {
  for (unsigned char c = 1; c != 0; ++c) {
    if (c != '\n' && bytes.find(static_cast<char>(c)) == std::string::npos)
      return static_cast<char>(c);
  }
  return 4;
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

// The master drops what is still under way, the slave what has arrived.
void discard_typed(int master) {
  ::ioctl(master, TCFLSH, TCOFLUSH);
  UniqueFd slave(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (slave.valid()) ::ioctl(slave.get(), TCFLSH, TCIFLUSH);
}

std::optional<bool> has_typed(int master) {
  UniqueFd slave(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!slave.valid()) return std::nullopt;
  pollfd waiting{slave.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0;
}

Result<TypedAhead> take_typed(int master) {
  UniqueFd slave(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!slave.valid()) return last_error("opening the terminal");
  SF_TRY_ASSIGN(termios settings, terminal_settings(slave.get()));
  TypedAhead typed;
  if ((settings.c_lflag & ICANON) != 0) take_lines(slave.get(), typed);
  termios plain = settings;
  // An unfinished line can only be read so. Nothing else changes: keys that are still on their way
  // are translated and echoed as they would have been.
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
  // The bytes went through all of this already: no byte means anything but the end of file.
  termios quiet = settings;
  quiet.c_iflag = 0;
  quiet.c_lflag &= static_cast<tcflag_t>(ICANON);
  std::fill(std::begin(quiet.c_cc), std::end(quiet.c_cc), cc_t{_POSIX_VDISABLE});
  quiet.c_cc[VMIN] = 1;
  quiet.c_cc[VEOF] = static_cast<cc_t>(end);
  std::string text = typed.bytes;
  for (auto at = typed.ends.rbegin(); at != typed.ends.rend(); ++at) text.insert(*at, 1, end);
  SF_TRY(set_terminal_settings(master, quiet));
  Status written = write_all(master, text);
  const bool canonical = (settings.c_lflag & ICANON) != 0;
  const std::size_t lines = std::max(typed.bytes.rfind('\n') + 1,
                                     typed.ends.empty() ? std::size_t{0} : typed.ends.back());
  if (written) await_typed(master, canonical ? lines : typed.bytes.size());
  SF_TRY(set_terminal_settings(master, settings));
  return written;
}

}  // namespace sf::os
