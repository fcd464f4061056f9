#include "engine/native/files/files.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "engine/blocker.h"
#include "engine/native/classify.h"
#include "engine/native/files/event_files.h"
#include "engine/native/files/inodes.h"
#include "engine/native/files/locks.h"
#include "engine/native/files/ptys.h"
#include "engine/native/sockets/ended_connections.h"
#include "engine/native/sockets/internet_sockets.h"
#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr unsigned kLargeFile = 0100000;  // the kernel's O_LARGEFILE; the C library's is 0
constexpr unsigned kOpenFlags = O_ACCMODE | O_APPEND | O_NONBLOCK | O_DSYNC | O_SYNC | O_DIRECT |
                                kLargeFile | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_PATH;

// A descriptor that identifies an open file description.
struct Sample {
  pid_t pid;
  int number;
  std::uint32_t file;
};

bool is_same(const Sample& sample, pid_t pid, int number) {
  return ::syscall(SYS_kcmp, sample.pid, pid, KCMP_FILE, sample.number, number) == 0;
}

class FileCapture {
 public:
  FileCapture(TreeImage& tree, InodeCapture& inodes, const SocketMakers& makers)
      : tree_(tree), inodes_(inodes), makers_(makers) {}

  Status add(const ProcessFacts& process, const DescriptorFacts& fd, ProcessImage& image) {
    auto& samples = known_[{fd.file.st_dev, fd.file.st_ino}];
    auto found = std::ranges::find_if(
        samples, [&](const Sample& s) { return is_same(s, process.pid, fd.number); });
    if (found == samples.end()) {
      SF_TRY_ASSIGN(std::uint32_t file, describe(process, fd));
      tree_.files[file].event.owner = image.pid;
      bool is_async = (fd.info.flags & static_cast<unsigned>(O_ASYNC)) != 0;
      tree_.files[file].owner = {fd.owner.type, fd.owner.inner, fd.owner.signal,
                                 is_async ? 1U : 0U};
      found = samples.insert(samples.end(), {process.pid, fd.number, file});
    }
    SF_TRY(add_locks(fd, image.pid, tree_.files[found->file]));
    bool cloexec = (fd.info.flags & static_cast<unsigned>(O_CLOEXEC)) != 0;
    image.descriptors.push_back({fd.number, found->file, cloexec ? 1U : 0U});
    return Ok{};
  }

 private:
  Result<std::uint32_t> describe(const ProcessFacts& process, const DescriptorFacts& fd) {
    FileImage file;
    DescriptorKind kind = classify(fd).kind;
    file.path = fd.link;
    file.flags = fd.info.flags & kOpenFlags;
    // O_TMPFILE includes O_DIRECTORY, which refers to the parent directory, not to the file.
    constexpr unsigned kNameless = O_TMPFILE & ~O_DIRECTORY;
    if ((fd.info.flags & kNameless) != 0) file.flags &= ~static_cast<unsigned>(O_DIRECTORY);
    file.offset = fd.info.offset;
    file.terminal = std::max(fd.pty.number, 0);
    if (kind == DescriptorKind::kTerminal) {
      file.kind = FileKind::kTerminal;
    } else if (kind == DescriptorKind::kMaster) {
      file.kind = FileKind::kMaster;
    } else if (kind == DescriptorKind::kMessageQueue) {
      file.kind = FileKind::kMessageQueue;
    } else if (kind == DescriptorKind::kDeadTerminal) {
      file.kind = FileKind::kDeadTerminal;
    } else if (kind == DescriptorKind::kOwnTerminal) {
      file.kind = FileKind::kOwnTerminal;
    } else if (kind == DescriptorKind::kEvent) {
      file.kind = FileKind::kEvent;
      file.event = parse_event(fd.link, fd.info.text).value();
      for (const WatchFacts& watch : fd.inotify.watches)
        file.event.watches.push_back({watch.number, watch.mask, watch.path});
      SF_TRY(check_watched(process, fd, file.event));
    } else if (kind == DescriptorKind::kSocket) {
      file.kind = FileKind::kSocket;
      auto socket = fd.socket.family == AF_UNIX ? capture_unix_socket(process.pid, fd, makers_)
                                                : capture_socket(process.pid, fd.number, fd.socket);
      if (!socket) return std::move(socket).error();
      file.socket = std::move(*socket);
    } else if (kind != DescriptorKind::kPath) {
      file.kind = FileKind::kInode;
      SF_TRY_ASSIGN(file.inode, inodes_.find_or_capture(process.pid, fd, kind));
    }
    tree_.files.push_back(std::move(file));
    return static_cast<std::uint32_t>(tree_.files.size() - 1);
  }

  // Every descriptor of a description shows its locks; the first process takes them again.
  static Status add_locks(const DescriptorFacts& fd, pid_t pid, FileImage& file) {
    auto locks = parse_locks(fd.info.text);
    if (!locks) return fail(ErrorCode::kOs, "an unusual lock");
    for (FileLock lock : *locks) {
      lock.owner = pid;
      auto is_known = [&](const FileLock& other) {
        return other.kind == lock.kind && other.start == lock.start &&
               (lock.kind != LockKind::kPosix || other.owner == pid);
      };
      if (std::ranges::none_of(file.locks, is_known)) file.locks.push_back(lock);
    }
    return Ok{};
  }

  // epoll reports a watched file by the descriptor number that it had when it was added.
  static Status check_watched(const ProcessFacts& process, const DescriptorFacts& fd,
                              const EventImage& event) {
    std::map<int, unsigned> seen;  // a number that was closed and reused may be watched twice
    for (const WatchedFile& watched : event.watched) {
      kcmp_epoll_slot slot{static_cast<unsigned>(fd.number), static_cast<unsigned>(watched.number),
                           seen[watched.number]++};
      if (::syscall(SYS_kcmp, process.pid, process.pid, KCMP_EPOLL_TFD, watched.number, &slot) != 0)
        return refuse_capture({{process.inner_pid(), process.stat().name,
                                "descriptor " + std::to_string(fd.number) + " (epoll)",
                                "it watches a file that it has closed", "end that process"}});
    }
    return Ok{};
  }

  TreeImage& tree_;
  InodeCapture& inodes_;
  const SocketMakers& makers_;
  std::map<std::pair<dev_t, ino_t>, std::vector<Sample>> known_;
};

}  // namespace

Status capture_files(const TreeFacts& facts, TreeImage& tree, InodeCapture& inodes,
                     const SocketMakers& makers) {
  FileCapture capture(tree, inodes, makers);
  for (std::size_t i = 0; i < facts.processes.size(); ++i) {
    for (const DescriptorFacts& fd : facts.processes[i].descriptors)
      SF_TRY(capture.add(facts.processes[i], fd, tree.processes[i]));
  }
  return Ok{};
}

FdLocations choose_locations(const TreeImage& tree, int taken) {
  int highest = std::max(15, taken);
  for (const ProcessImage& process : tree.processes)
    for (const Descriptor& fd : process.descriptors) highest = std::max(highest, fd.number);
  FdLocations locations;
  locations.pages = highest + 1;
  locations.scratch = locations.pages + static_cast<int>(tree.pages_files);
  locations.helper = locations.scratch + 1;
  locations.master = locations.helper + 1;
  locations.mapped = locations.master + 1;
  locations.first = locations.mapped + static_cast<int>(tree.mapped.size());
  locations.end = locations.first + static_cast<int>(tree.files.size());
  return locations;
}

void open_files(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                const AsyncRoot& root, std::uint64_t failure) {
  InodeRestore inodes(program, tree, locations, root);
  open_dead_terminals(program, tree, locations);
  open_masters(program, tree, locations);
  for (std::size_t i = 0; i < tree.files.size(); ++i) {
    const FileImage& file = tree.files[i];
    int location = locations.first + static_cast<int>(i);
    if (file.kind == FileKind::kInode) {
      inodes.open(file, location);
      continue;
    }
    if (file.kind == FileKind::kSocket &&
        (file.socket.family == AF_UNIX || file.socket.tcp.state != 0))
      continue;
    if (file.kind == FileKind::kMaster || file.kind == FileKind::kOwnTerminal ||
        file.kind == FileKind::kDeadTerminal)
      continue;
    if (is_opened_late(file)) continue;
    if (file.kind == FileKind::kEvent || file.kind == FileKind::kSocket) {
      Argument made = file.kind == FileKind::kEvent ? make_event(program, file)
                      : file.socket.family == AF_NETLINK
                          ? make_netlink(program, file.socket, file.flags)
                          : make_socket(program, file.socket, file.flags);
      program.call(SYS_dup3, {made, location, O_CLOEXEC});
      program.call(SYS_close, {made});
      continue;
    }
    program.about("opening " + file.path);
    Argument fd = file.kind == FileKind::kMessageQueue
                      ? program.keep(SYS_mq_open, {program.arena().put_text(file.path.substr(1)),
                                                   file.flags & (O_ACCMODE | O_NONBLOCK), 0, 0})
                      : program.keep(SYS_openat, {AT_FDCWD, program.arena().put_text(file.path),
                                                  file.flags | static_cast<unsigned>(O_NOCTTY)});
    bool seekable = file.kind == FileKind::kPath && (file.flags & O_PATH) == 0;
    if (seekable && file.offset != 0) program.call(SYS_lseek, {fd, file.offset, SEEK_SET});
    program.call(SYS_dup3, {fd, location, O_CLOEXEC});
    program.call(SYS_close, {fd});
  }
  finish_ptys(program, tree, locations, failure);
  open_connections(program, tree, locations);
  connect_waiting(program, tree, locations);
  open_ended_connections(program, tree, locations);
  open_unix_sockets(program, tree, locations, root, failure);
  inodes.hold_for_mappings();
  inodes.finish();
}

void take_descriptors(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
                      const FdLocations& locations) {
  program.about("descriptors");
  for (const Descriptor& fd : process.descriptors)
    if (!is_opened_late(tree.files[fd.file]))
      program.call(SYS_dup3, {locations.first + static_cast<int>(fd.file), fd.number,
                              fd.close_on_exec != 0 ? O_CLOEXEC : 0});
  for (const Descriptor& fd : process.descriptors)
    if (is_opened_late(tree.files[fd.file]))
      open_late(program, tree.files[fd.file], fd, locations.pages);
  bool is_init = process.pid == 1;  // the engine takes the terminal's master from it
  if (!is_init) return program.call(SYS_close_range, {locations.pages, ~0U, 0});
  program.call(SYS_close_range, {locations.pages, locations.master - 1, 0});
  program.call(SYS_close_range, {locations.master + 1, ~0U, 0});
}

}  // namespace sf::waypoint::native
