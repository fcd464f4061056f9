// Pseudo-terminals made by the holder: numbers, settings, process groups, and open ends.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT: kill is POSIX
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "feature.h"

namespace stateful {
namespace {

int new_master() {
  int master = must(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC), "/dev/ptmx");
  int unlocked = 0;
  must(::ioctl(master, TIOCSPTLCK, &unlocked), "TIOCSPTLCK");
  return master;
}

int number_of(int master) {
  int number = -1;
  must(::ioctl(master, TIOCGPTN, &number), "TIOCGPTN");
  return number;
}

std::string path_of(int master) { return "/dev/pts/" + std::to_string(number_of(master)); }

int slave_of(int master) {
  return must(::open(path_of(master).c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC), "slave");
}

std::string read_text(int fd) {
  if (!readable(fd)) return "(nothing came)";
  char buffer[256];
  ssize_t got = ::read(fd, buffer, sizeof buffer);
  return got < 0 ? std::string(::strerrorname_np(errno))
                 : std::string(buffer, static_cast<std::size_t>(got));
}

// Masters 1 and 3 with a gap (2 was closed); one in packet mode, one whose slaves are closed.
Probe terminals(const std::string&) {
  int first = new_master();
  int gap = new_master();
  int third = new_master();
  int closed = new_master();
  ::close(gap);
  int slave = slave_of(first);
  winsize window{33, 77, 0, 0};
  must(::ioctl(first, TIOCSWINSZ, &window), "TIOCSWINSZ");
  termios settings{};
  must(::tcgetattr(slave, &settings), "tcgetattr");
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  settings.c_cc[VINTR] = 7;
  must(::tcsetattr(slave, TCSANOW, &settings), "tcsetattr");
  must(::chmod(path_of(first).c_str(), 0600), "chmod");
  must(::chown(path_of(first).c_str(), 1000, 5), "chown");
  int packets = 1;
  must(::ioctl(third, TIOCPKT, &packets), "TIOCPKT");
  int other = slave_of(third);
  ::close(slave_of(closed));
  return [=](Answer& answer) {
    answer.say("numbers",
               std::to_string(number_of(first)) + " " + std::to_string(number_of(third)));
    winsize seen{};
    must(::ioctl(slave, TIOCGWINSZ, &seen), "TIOCGWINSZ");
    answer.say("window", std::to_string(seen.ws_row) + "x" + std::to_string(seen.ws_col));
    termios now{};
    must(::tcgetattr(slave, &now), "tcgetattr");
    answer.say("settings", hash_of({reinterpret_cast<const char*>(&now), sizeof now}));
    struct stat info {};
    must(::fstat(slave, &info), "fstat");
    answer.say("owner", std::to_string(info.st_uid) + "/" + std::to_string(info.st_gid) + "/" +
                            std::to_string(info.st_mode));
    if (::write(slave, "out\n", 4) != 4 || ::write(first, "in", 2) != 2) die("write");
    answer.say("output", read_text(first));
    answer.say("input", read_text(slave));
    if (::write(other, "packet", 6) != 6) die("write");
    std::string packet = read_text(third);
    answer.say("packet", std::to_string(packet.size()) + " " + std::to_string(packet[0]));
    pollfd look{closed, POLLIN, 0};
    must(::poll(&look, 1, 0), "poll");
    answer.say("closed", look.revents);
  };
}

// A child leads a session on a terminal of its own, with a foreground job and /dev/tty open. The
// holder asks through the master; the child replies through /dev/tty.
[[noreturn]] void lead_session(int master) {
  must(::setsid(), "setsid");
  int slave = slave_of(master);
  must(::ioctl(slave, TIOCSCTTY, 0), "TIOCSCTTY");
  ::close(master);
  int own = must(::open("/dev/tty", O_RDWR | O_CLOEXEC), "/dev/tty");
  pid_t job = must(::fork(), "fork");
  if (job == 0) {
    must(::setpgid(0, 0), "setpgid");
    for (;;) ::pause();
  }
  ::setpgid(job, job);
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  must(::sigaction(SIGTTOU, &ignored, nullptr), "sigaction");
  must(::sigaction(SIGTTIN, &ignored, nullptr), "sigaction");
  must(::tcsetpgrp(slave, job), "tcsetpgrp");
  if (::write(own, "ready\n", 6) != 6) die("write");
  for (;;) {
    struct pollfd look {
      slave, POLLIN, 0
    };
    ::poll(&look, 1, -1);
    must(::tcsetpgrp(slave, ::getpgrp()), "tcsetpgrp");
    char byte = 0;
    if (::read(own, &byte, 1) != 1) die("read");
    must(::tcsetpgrp(slave, job), "tcsetpgrp");
    char link[64] = {};
    if (::readlink(("/proc/self/fd/" + std::to_string(own)).c_str(), link, sizeof link - 1) < 0)
      die("readlink");
    std::string text = std::string(link) + " foreground " +
                       std::to_string(::tcgetpgrp(own) == job ? 1 : 0) + " session " +
                       std::to_string(::tcgetsid(own) == ::getpid() ? 1 : 0) + "\n";
    if (::write(own, text.data(), text.size()) < 0) die("write");
  }
}

Probe terminal_session(const std::string&) {
  int master = new_master();
  termios settings{};
  int slave = slave_of(master);
  must(::tcgetattr(slave, &settings), "tcgetattr");
  ::cfmakeraw(&settings);
  must(::tcsetattr(slave, TCSANOW, &settings), "tcsetattr");
  pid_t child = must(::fork(), "fork");
  if (child == 0) {
    ::close(slave);
    lead_session(master);
  }
  if (read_text(master) != "ready\n") die("the session is not ready");
  ::close(slave);
  return [=](Answer& answer) {
    if (::write(master, "?", 1) != 1) die("write");
    answer.say("session", read_text(master));
    answer.say("leader", child);
    answer.say("foreground", must(::tcgetpgrp(master), "tcgetpgrp"));
  };
}

void set_raw(int fd) {
  termios settings{};
  must(::tcgetattr(fd, &settings), "tcgetattr");
  ::cfmakeraw(&settings);
  must(::tcsetattr(fd, TCSANOW, &settings), "tcsetattr");
}

void send_text(int fd, std::string_view text) {
  if (::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) die("write");
}

int waiting(int fd) {
  int size = 0;
  must(::ioctl(fd, FIONREAD, &size), "FIONREAD");
  return size;
}

void await_waiting(int fd, int size) {
  for (int i = 0; i < 5000 && waiting(fd) < size; ++i) ::poll(nullptr, 0, 1);
  if (waiting(fd) < size) die("the terminal passes nothing on");
}

std::string read_much(int fd, std::size_t size) {
  std::string all;
  char buffer[4096];
  while (all.size() < size && readable(fd)) {
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0) break;
    all.append(buffer, static_cast<std::size_t>(got));
  }
  return all;
}

std::string read_once(int fd) {
  char buffer[256];
  ssize_t got = ::read(fd, buffer, sizeof buffer);
  return got < 0 ? ::strerrorname_np(errno) : std::string(buffer, static_cast<std::size_t>(got));
}

// Complete lines, a line ended by ^D, a half-typed line, all echoed; and output after that.
Probe unread_lines(const std::string&) {
  int master = new_master();
  int slave = slave_of(master);
  send_text(master, "first\rsecond\nwithout a newline\4half ty");
  await_waiting(slave, 30);
  await_waiting(master, 39);  // once the echo is complete, all input has arrived
  send_text(slave, "output\n");
  return [=](Answer& answer) {
    answer.say("whole lines", waiting(slave));
    for (int i = 0; i < 3; ++i) answer.say("line", read_once(slave));
    send_text(master, "pex\177d\n");  // erases a character of the half-typed line
    answer.say("completed", read_text(slave));
    answer.say("echo and output", read_much(master, 56));
    answer.say("left", waiting(master));
  };
}

// Control characters, and more output than one buffer holds; also in packet mode.
Probe unread_bytes(const std::string&) {
  int master = new_master();
  int slave = slave_of(master);
  set_raw(slave);
  send_text(master, std::string("\3\4\r\n\21\23\0\377\177", 9));
  await_waiting(slave, 9);
  std::string much = pattern(9'000, 5);
  send_text(slave, much);
  int packets = 1;
  int other = new_master();
  int sender = slave_of(other);
  must(::ioctl(other, TIOCPKT, &packets), "TIOCPKT");
  send_text(sender, "a packet\n");
  return [=](Answer& answer) {
    answer.say("input", hash_of(read_once(slave)));
    answer.say("output", hash_of(read_much(master, much.size())));
    answer.say("packet", hash_of(read_text(other)));
  };
}

// Closed slaves, a closed master, a terminal in exclusive mode, and two with stopped output.
Probe closed_and_stopped(const std::string&) {
  int closed = new_master();
  int writer = slave_of(closed);
  send_text(writer, "last words\n");
  await_waiting(closed, 12);
  ::close(writer);
  int dying = new_master();
  int dead = slave_of(dying);
  ::close(dying);
  int stopped = new_master();
  int slave = slave_of(stopped);
  must(::fcntl(slave, F_SETFL, O_NONBLOCK), "F_SETFL");
  send_text(slave, "before");
  await_waiting(stopped, 6);
  send_text(stopped, "\23");  // ^S
  for (int i = 0; i < 5000; ++i) {
    pollfd look{slave, POLLOUT, 0};
    if (::poll(&look, 1, 0) == 0) break;
    ::poll(nullptr, 0, 1);
  }
  must(::ioctl(slave, TIOCEXCL), "TIOCEXCL");
  int held = new_master();
  int holder = slave_of(held);
  must(::fcntl(holder, F_SETFL, O_NONBLOCK), "F_SETFL");
  send_text(holder, "held");
  await_waiting(held, 4);
  must(::tcflow(holder, TCOOFF), "tcflow");
  return [=](Answer& answer) {
    answer.say("held", ::write(holder, "x", 1) < 0 ? ::strerrorname_np(errno) : "worked");
    answer.say("until then", read_text(held));
    must(::tcflow(holder, TCOON), "tcflow");
    send_text(holder, "on");
    answer.say("and on", read_text(held));
    answer.say("closed", read_text(closed));
    answer.say("then", read_text(closed));
    char link[64] = {};
    if (::readlink(("/proc/self/fd/" + std::to_string(dead)).c_str(), link, sizeof link - 1) < 0)
      die("readlink");
    answer.say("dead", link);
    answer.say("its end", read_once(dead));
    answer.say("its output", ::write(dead, "x", 1) < 0 ? ::strerrorname_np(errno) : "worked");
    answer.say("stopped", ::write(slave, "x", 1) < 0 ? ::strerrorname_np(errno) : "worked");
    answer.say("before that", read_text(stopped));
    send_text(stopped, "\21");  // ^Q
    pollfd look{slave, POLLOUT, 0};
    must(::poll(&look, 1, 10'000), "poll");
    send_text(slave, "after");
    answer.say("after that", read_text(stopped));
    int exclusive = 0;
    must(::ioctl(slave, TIOCGEXCL, &exclusive), "TIOCGEXCL");
    answer.say("exclusive", exclusive);
  };
}

}  // namespace

std::vector<Feature> terminal_features() {
  return {{"terminals", terminals},
          {"terminal-session", terminal_session},
          {"terminal-unread-lines", unread_lines},
          {"terminal-unread-bytes", unread_bytes},
          {"terminal-closed-and-stopped", closed_and_stopped}};
}

}  // namespace stateful
