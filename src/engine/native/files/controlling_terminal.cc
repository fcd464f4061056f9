#include "engine/native/files/controlling_terminal.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "engine/native/files/ptys.h"
#include "engine/native/files/terminal_calls.h"
#include "os/error.h"
#include "os/file.h"
#include "shell/init/init_protocol.h"

namespace sf::waypoint::native {
namespace {

constexpr unsigned kSetSettings = 0x402c542b;  // TCSETS2
constexpr unsigned kSetWindow = 0x5414;        // TIOCSWINSZ
constexpr unsigned kSetGroup = 0x5410;         // TIOCSPGRP
constexpr unsigned kOpenSlave = 0x5441;        // TIOCGPTPEER
constexpr const char* kMasterPath = "/dev/pts/ptmx";

}  // namespace

Status capture_terminal(pid_t root, TerminalImage& terminal) {
  std::string path = "/proc/" + std::to_string(root) + "/root" + kTerminalPath;
  SF_TRY_ASSIGN(os::UniqueFd slave, os::open_file(path, O_RDWR | O_NOCTTY | O_NONBLOCK));
  struct stat info {};
  int is_exclusive = 0;
  terminal.settings.resize(sizeof(termios2));
  if (::fstat(slave.get(), &info) != 0 ||
      ::ioctl(slave.get(), kGetSettings, terminal.settings.data()) != 0 ||
      ::ioctl(slave.get(), kGetWindow, terminal.window.data()) != 0 ||
      ::ioctl(slave.get(), kGetExclusive, &is_exclusive) != 0)
    return os::last_error("looking at the branch's terminal");
  terminal.exclusive = is_exclusive != 0 ? kExclusiveSlave : 0;
  terminal.uid = info.st_uid;
  terminal.gid = info.st_gid;
  terminal.mode = info.st_mode & 07777U;
  return Ok{};
}

void make_terminal(ProgramWriter& program, const TerminalImage& terminal,
                   const FdLocations& locations) {
  Arena& arena = program.arena();
  program.about("opening the terminal's master");
  Argument master = program.keep(
      SYS_openat, {AT_FDCWD, arena.put_text(kMasterPath), O_RDWR | O_NOCTTY | O_CLOEXEC});
  program.call(SYS_dup3, {master, locations.master, O_CLOEXEC});
  program.call(SYS_close, {master});
  set_up_terminal(program, terminal, locations.master);
}

void set_up_terminal(ProgramWriter& program, const TerminalImage& terminal, int master) {
  Arena& arena = program.arena();
  const std::string name = terminal_path(terminal.number);
  program.about("settings of " + name);
  program.call(SYS_ioctl, {master, kSetLock, arena.put_value(0)});
  program.call(SYS_ioctl, {master, kSetSettings,
                           arena.put(terminal.settings.data(), terminal.settings.size())});
  program.call(SYS_ioctl, {master, kSetWindow, arena.put_value(terminal.window)});
  std::uint64_t path = arena.put_text(name);
  program.call(SYS_fchownat, {AT_FDCWD, path, terminal.uid, terminal.gid, 0});
  program.call(SYS_fchmodat, {AT_FDCWD, path, terminal.mode});
}

void take_terminal(ProgramWriter& program, const TerminalImage& terminal) {
  program.about("taking the terminal");
  Argument slave =
      program.keep(SYS_openat, {AT_FDCWD, program.arena().put_text(terminal_path(terminal.number)),
                                O_RDWR | O_NOCTTY | O_CLOEXEC});
  program.call(SYS_ioctl, {slave, kTake, 0});
  program.call(SYS_close, {slave});
}

void set_foreground(ProgramWriter& program, const TerminalImage& terminal) {
  program.about("foreground group of the terminal");
  Argument slave =
      program.keep(SYS_openat, {AT_FDCWD, program.arena().put_text(terminal_path(terminal.number)),
                                O_RDWR | O_NOCTTY | O_CLOEXEC});
  // The group may have ended; the terminal then had no foreground group.
  program.try_call(SYS_ioctl, {slave, kSetGroup, program.arena().put_value(terminal.group)});
  program.call(SYS_close, {slave});
}

Status bring_back_exclusive(int master, const TerminalImage& terminal) {
  if (terminal.exclusive == 0) return Ok{};
  os::UniqueFd slave(::ioctl(master, kOpenSlave, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!slave.valid() || ::ioctl(slave.get(), kBeExclusive) != 0)
    return os::last_error("exclusive mode of the branch's terminal");
  return Ok{};
}

}  // namespace sf::waypoint::native
