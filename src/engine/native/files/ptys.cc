#include "engine/native/files/ptys.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "engine/native/facts.h"
#include "engine/native/files/controlling_terminal.h"
#include "engine/native/files/pty_data.h"
#include "engine/native/files/terminal_calls.h"
#include "engine/native/ptrace/remote_fd.h"
#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr unsigned kGetGroup = 0x540f;           // TIOCGPGRP
constexpr unsigned kGetDiscipline = 0x5424;      // TIOCGETD
constexpr unsigned kGetDevice = 0x80045432;      // TIOCGDEV
constexpr unsigned kGetPacketMode = 0x80045438;  // TIOCGPKT
constexpr unsigned kGetLock = 0x80045439;        // TIOCGPTLCK
constexpr unsigned kSlaveMajor = 136;
constexpr int kMostInput = 3500;  // of 4096: a full buffer may hide more input
constexpr std::size_t kStackSize = 8192;
constexpr pid_t kOpener = 2;  // any free pid: only init exists so far
constexpr const char* kMasterPath = "/dev/pts/ptmx";

int number_from(int fd, unsigned request) {
  int value = 0;
  return ::ioctl(fd, request, &value) == 0 ? value : 0;
}

bool is_own_terminal(const DescriptorFacts& fd) {
  return S_ISCHR(fd.file.st_mode) && fd.file.st_rdev == makedev(5, 0);
}

// Translates a process group from the engine's PID namespace to the branch's.
pid_t inner_group(const TreeFacts& facts, pid_t group) {
  for (const ProcessFacts& process : facts.processes)
    if (process.status().groups.front() == group) return process.status().groups.back();
  return 0;
}

Result<TerminalImage> capture_pty(const TreeFacts& facts, int number, int master) {
  TerminalImage terminal;
  terminal.number = number;
  struct stat info {};
  const std::string path =
      "/proc/" + std::to_string(facts.processes[0].pid) + "/root" + terminal_path(number);
  terminal.settings.resize(sizeof(termios2));
  if (::stat(path.c_str(), &info) != 0 ||
      ::ioctl(master, kGetSettings, terminal.settings.data()) != 0 ||
      ::ioctl(master, kGetWindow, terminal.window.data()) != 0)
    return os::last_error("looking at terminal " + std::to_string(number));
  terminal.uid = info.st_uid;
  terminal.gid = info.st_gid;
  terminal.mode = info.st_mode & 07777U;
  terminal.packets = number_from(master, kGetPacketMode) != 0 ? 1 : 0;
  terminal.locked = number_from(master, kGetLock) != 0 ? 1 : 0;
  terminal.group = inner_group(facts, number_from(master, kGetGroup));
  pollfd look{master, POLLIN, 0};
  (void)::poll(&look, 1, 0);
  terminal.hung_up = (look.revents & POLLHUP) != 0 ? 1 : 0;
  return terminal;
}

// A helper process acquires the terminal, opens /dev/tty and ends.
void open_own(ProgramWriter& program, const FileImage& file, int location, std::uint64_t failure) {
  Arena& arena = program.arena();
  ProgramWriter opener = program.another();
  opener.about("opening /dev/tty");
  opener.call(SYS_setsid, {});
  Argument slave = opener.keep(SYS_openat, {AT_FDCWD, arena.put_text(terminal_path(file.terminal)),
                                            O_RDWR | O_NOCTTY | O_CLOEXEC});
  opener.call(SYS_ioctl, {slave, kTake, 0});
  Argument own = opener.keep(SYS_openat, {AT_FDCWD, arena.put_text(file.path), file.flags});
  opener.call(SYS_dup3, {own, location, O_CLOEXEC});
  opener.call(SYS_close, {own});
  opener.call(SYS_close, {slave});
  opener.call(SYS_exit_group, {0});
  clone_args args{};
  args.flags = CLONE_VM | CLONE_FILES;
  args.stack = arena.reserve(kStackSize);
  args.stack_size = kStackSize;
  args.set_tid = arena.put_value(kOpener);
  args.set_tid_size = 1;
  program.about("forking an opener of /dev/tty");
  program.call(kFork, {arena.put_value(args), opener.finish(0, failure)});
  program.call(SYS_wait4, {kOpener, 0, __WALL, 0});
}

}  // namespace

int terminal_number(std::int64_t device) {
  auto bits = static_cast<std::uint64_t>(device);
  if (((bits >> 8U) & 0xfffU) != kSlaveMajor) return -1;
  return static_cast<int>((bits & 0xffU) | ((bits >> 12U) & 0xfff00U));
}

int master_number(const std::string& info) {
  constexpr std::string_view kKey = "tty-index:";
  std::size_t at = info.find(kKey);
  return at == std::string::npos ? -1 : std::atoi(info.c_str() + at + kKey.size());
}

bool is_pty(const DescriptorFacts& fd) {
  if (is_own_terminal(fd)) return true;
  return fd.file_system == DEVPTS_SUPER_MAGIC && S_ISCHR(fd.file.st_mode) &&
         fd.file.st_rdev != makedev(kSlaveMajor, 0);
}

PtyFacts read_pty(const DescriptorFacts& fd, int copy) {
  PtyFacts pty;
  termios2 settings{};
  const bool has_settings = ::ioctl(copy, kGetSettings, &settings) == 0;
  pty.reads_with_time =
      has_settings && (settings.c_lflag & ICANON) == 0 && settings.c_cc[VTIME] != 0;
  if (is_own_terminal(fd)) {
    pty.end = PtyFacts::End::kOwn;
    pty.number = terminal_number(number_from(copy, kGetDevice));
    return pty;
  }
  bool is_master = major(fd.file.st_rdev) != kSlaveMajor;
  pty.end = is_master ? PtyFacts::End::kMaster : PtyFacts::End::kSlave;
  pty.number = is_master ? master_number(fd.info.text) : static_cast<int>(minor(fd.file.st_rdev));
  pty.is_exclusive = number_from(copy, kGetExclusive) != 0;
  pty.discipline = number_from(copy, kGetDiscipline);
  pollfd look{copy, POLLIN | POLLPRI, 0};
  (void)::poll(&look, 1, 0);
  pty.is_dead = !is_master && (look.revents & POLLHUP) != 0;
  pty.unread = number_from(copy, kUnread);
  pty.has_status = is_master && (look.revents & POLLPRI) != 0;
  pty.is_edited_outside = has_settings && (settings.c_lflag & EXTPROC) != 0;
  return pty;
}

void tie_ptys(std::vector<ProcessFacts>& processes) {
  std::vector<int> masters = {0};
  for (const ProcessFacts& process : processes)
    for (const DescriptorFacts& fd : process.descriptors)
      if (fd.pty.end == PtyFacts::End::kMaster) masters.push_back(fd.pty.number);
  for (ProcessFacts& process : processes) {
    int number = terminal_number(process.stat().terminal);
    process.terminal_inside =
        process.stat().terminal == 0 || std::ranges::find(masters, number) != masters.end();
    for (DescriptorFacts& fd : process.descriptors)
      fd.pty.has_master = std::ranges::find(masters, fd.pty.number) != masters.end();
  }
}

std::string pty_trouble(const PtyFacts& pty) {
  if (pty.end == PtyFacts::End::kMaster && pty.number <= 0)
    return "it is the master of an unknown terminal";
  if (pty.number > 0 && pty.is_dead) return {};
  if (pty.number < 0 || !pty.has_master) return "its terminal has no master in the branch";
  bool is_slave = pty.end == PtyFacts::End::kSlave;
  if (is_slave && pty.unread >= kMostInput) return "it has too much unread input to restore";
  if (pty.unread > 0 && pty.is_edited_outside)
    return "it has unread input, and another program edits its lines (EXTPROC)";
  if (pty.has_status) return "it has an unread packet mode event";
  if (pty.discipline != 0) return "the terminal has an unusual line discipline";
  return {};
}

namespace {

// Combined facts of all descriptors of a terminal.
struct Together {
  Slaves slaves = Slaves::kClosed;
  std::uint32_t exclusive = 0;
  bool edited_outside = false;
};

Together look_together(const TreeFacts& facts, int number) {
  Together all;
  for (const ProcessFacts& process : facts.processes) {
    for (const DescriptorFacts& fd : process.descriptors) {
      const PtyFacts& pty = fd.pty;
      if (pty.end == PtyFacts::End::kNeither || pty.number != number || pty.is_dead) continue;
      bool is_master = pty.end == PtyFacts::End::kMaster;
      if (!is_master) all.slaves = Slaves::kOpen;
      if (pty.is_exclusive) all.exclusive |= is_master ? kExclusiveMaster : kExclusiveSlave;
      all.edited_outside = all.edited_outside || pty.is_edited_outside;
    }
  }
  return all;
}

}  // namespace

Status capture_ptys(const TreeFacts& facts, TreeImage& tree) {
  for (const ProcessFacts& process : facts.processes) {
    for (const DescriptorFacts& fd : process.descriptors) {
      bool known = std::ranges::any_of(
          tree.ptys, [&](const TerminalImage& t) { return t.number == fd.pty.number; });
      if (fd.pty.end != PtyFacts::End::kMaster || known) continue;
      SF_TRY_ASSIGN(os::UniqueFd master, descriptor_of(process.pid, fd.number));
      SF_TRY_ASSIGN(TerminalImage terminal, capture_pty(facts, fd.pty.number, master.get()));
      Together all = look_together(facts, fd.pty.number);
      terminal.exclusive = all.exclusive;
      if (!all.edited_outside) SF_TRY(capture_pty_data(master.get(), all.slaves, terminal));
      tree.ptys.push_back(std::move(terminal));
    }
  }
  std::ranges::sort(tree.ptys, {}, &TerminalImage::number);
  return Ok{};
}

const TerminalImage& terminal_of(const TreeImage& tree, int number) {
  auto found = std::ranges::find(tree.ptys, number, &TerminalImage::number);
  return found == tree.ptys.end() ? tree.terminal : *found;
}

std::string terminal_path(int number) { return "/dev/pts/" + std::to_string(number); }

void open_dead_terminals(ProgramWriter& program, const TreeImage& tree,
                         const FdLocations& locations) {
  Arena& arena = program.arena();
  int last = 0;
  for (const FileImage& file : tree.files)
    if (file.kind == FileKind::kDeadTerminal) last = std::max(last, file.terminal);
  std::vector<Argument> masters;
  for (int number = 1; number <= last; ++number) {
    program.about("opening terminal " + std::to_string(number));
    Argument master = program.keep(
        SYS_openat, {AT_FDCWD, arena.put_text(kMasterPath), O_RDWR | O_NOCTTY | O_CLOEXEC});
    program.call(SYS_ioctl, {master, kSetLock, arena.put_value(0)});
    masters.push_back(master);
  }
  for (std::size_t i = 0; i < tree.files.size(); ++i) {
    const FileImage& file = tree.files[i];
    if (file.kind != FileKind::kDeadTerminal) continue;
    Argument fd = program.keep(SYS_openat, {AT_FDCWD, arena.put_text(terminal_path(file.terminal)),
                                            file.flags | static_cast<unsigned>(O_NOCTTY)});
    program.call(SYS_dup3, {fd, locations.first + static_cast<int>(i), O_CLOEXEC});
    program.call(SYS_close, {fd});
  }
  for (Argument master : masters) program.call(SYS_close, {master});
}

void open_masters(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations) {
  Arena& arena = program.arena();
  std::vector<Argument> between;  // occupy free numbers in between
  std::vector<int> dead;
  for (const FileImage& file : tree.files)
    if (file.kind == FileKind::kDeadTerminal) dead.push_back(file.terminal);
  int next = 1;  // the kernel assigns the lowest free number
  for (const TerminalImage& terminal : tree.ptys) {
    auto file = std::ranges::find_if(tree.files, [&](const FileImage& f) {
      return f.kind == FileKind::kMaster && f.terminal == terminal.number;
    });
    if (file == tree.files.end()) continue;
    program.about("opening the master of terminal " + std::to_string(terminal.number));
    std::uint64_t path = arena.put_text(kMasterPath);
    for (; next < terminal.number; ++next) {
      if (std::ranges::find(dead, next) != dead.end()) continue;  // still in use by the dead slave
      between.push_back(program.keep(SYS_openat, {AT_FDCWD, path, O_RDWR | O_NOCTTY | O_CLOEXEC}));
    }
    Argument master =
        program.keep(SYS_openat, {AT_FDCWD, path, file->flags | static_cast<unsigned>(O_NOCTTY)});
    ++next;
    int location = locations.first + static_cast<int>(file - tree.files.begin());
    program.call(SYS_dup3, {master, location, O_CLOEXEC});
    program.call(SYS_close, {master});
    set_up_terminal(program, terminal, location);
  }
  for (Argument fd : between) program.call(SYS_close, {fd});
}

void finish_ptys(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                 std::uint64_t failure) {
  Arena& arena = program.arena();
  for (std::size_t i = 0; i < tree.files.size(); ++i) {
    const FileImage& file = tree.files[i];
    int location = locations.first + static_cast<int>(i);
    if (file.kind == FileKind::kOwnTerminal) open_own(program, file, location, failure);
    if (file.kind != FileKind::kMaster) continue;
    const TerminalImage& terminal = terminal_of(tree, file.terminal);
    program.about("state of " + terminal_path(file.terminal));
    if (terminal.hung_up != 0) {
      Argument slave = program.keep(
          SYS_openat,
          {AT_FDCWD, arena.put_text(terminal_path(file.terminal)), O_RDWR | O_NOCTTY | O_CLOEXEC});
      program.call(SYS_close, {slave});
    }
    if (terminal.packets != 0)
      program.call(SYS_ioctl, {location, kSetPacketMode, arena.put_value(1)});
    if (terminal.locked != 0) program.call(SYS_ioctl, {location, kSetLock, arena.put_value(1)});
  }
}

}  // namespace sf::waypoint::native
