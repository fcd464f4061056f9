// Saved state of open files, of the inodes behind them, and of terminals. Plain data.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "engine/native/memory/extent.h"
#include "engine/native/sockets/socket_image.h"

namespace sf::waypoint::native {

enum class FileKind : std::uint32_t {
  kPath,
  kTerminal,      // a slave
  kMaster,        // of a terminal created in the branch
  kOwnTerminal,   // /dev/tty
  kDeadTerminal,  // a slave with a closed master
  kInode,
  kEvent,
  kMessageQueue,  // of POSIX
  kSocket
};

enum class EventKind : std::uint32_t { kCounter, kTimer, kSignals, kEpoll, kInotify, kProcess };

struct WatchedFile {  // of an epoll set
  std::int32_t number = 0;
  std::uint32_t events = 0;
  std::uint64_t data = 0;
};

struct InotifyWatch {
  std::int32_t number = 0;
  std::uint32_t mask = 0;
  std::string path;
  template <typename A>
  void fields(A& a) {
    a(number)(mask)(path);
  }
};

struct EventImage {
  EventKind kind = EventKind::kCounter;
  // kCounter: count, semaphore; kTimer: clock, ticks, interval and time left; kSignals: mask;
  // kProcess: its pid
  std::vector<std::uint64_t> numbers;
  std::vector<WatchedFile> watched;
  std::vector<InotifyWatch> watches;
  pid_t owner = 0;  // the first process that has it; fills a kEpoll
  template <typename A>
  void fields(A& a) {
    a(kind)(numbers)(watched)(watches)(owner);
  }
};

enum class LockKind : std::uint32_t { kFlock, kPosix, kDescription };

struct FileLock {
  LockKind kind = LockKind::kFlock;
  std::uint32_t writes = 0;
  std::uint64_t start = 0;
  std::uint64_t size = 0;  // 0: to the end
  pid_t owner = 0;         // the process that takes it again
  std::int32_t padding = 0;
};

struct FileOwner {  // receiver of its signals; pid 0: none
  std::int32_t type = 0;
  pid_t pid = 0;
  std::int32_t signal = 0;
  std::uint32_t is_async = 0;
};

struct FileImage {  // one open file description
  FileKind kind = FileKind::kPath;
  std::string path;
  std::uint32_t flags = 0;  // as F_GETFL gives them
  std::uint64_t offset = 0;
  std::uint32_t inode = kNone;
  std::int32_t terminal = 0;  // its number
  EventImage event;
  SocketImage socket;
  std::vector<FileLock> locks;
  FileOwner owner;
  template <typename A>
  void fields(A& a) {
    a(kind)(path)(flags)(offset)(inode)(terminal)(event)(socket)(locks)(owner);
  }
};

enum class InodeKind : std::uint32_t {
  kPipe,
  kFifo,
  kMemory,
  kUnlinked,
  kOtherName,  // the name by which it was opened was removed
  kSharedMemory,
  kDirectory  // removed
};

struct InodeImage {  // an object that no name leads to, or with content that is not in its file
  InodeKind kind = InodeKind::kPipe;
  std::string name;   // of a memory file; path of others
  std::string other;  // kOtherName: its remaining name
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t seals = 0;
  std::array<timespec, 2> times{};  // of access and of change
  std::uint32_t capacity = 0;       // of a pipe
  std::string content;              // of a pipe
  std::vector<Extent> extents;
  template <typename A>
  void fields(A& a) {
    a(kind)(name)(other)(size)(mode)(uid)(gid)(seals)(times)(capacity)(content)(extents);
  }
};

struct MappedFile {
  std::string path;
  std::uint32_t writable = 0;
  template <typename A>
  void fields(A& a) {
    a(path)(writable);
  }
  bool operator==(const MappedFile&) const = default;
};

enum StoppedOutput : std::uint32_t { kFlows, kByCharacter, kByCall };

struct TerminalData {  // unread data
  std::string output;
  std::vector<std::string> lines;  // of input; without a newline: ended by an end of file
  std::string typed;               // input without a line end; in noncanonical mode, all of it
  std::uint32_t stopped = 0;       // state of the output; a StoppedOutput
  template <typename A>
  void fields(A& a) {
    a(output)(lines)(typed)(stopped);
  }
};

inline constexpr std::uint32_t kExclusiveSlave = 1;
inline constexpr std::uint32_t kExclusiveMaster = 2;

struct TerminalImage {
  std::int32_t number = 0;
  std::string settings;  // termios2
  std::array<std::uint16_t, 4> window{};
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t mode = 0;
  pid_t session = 0;
  pid_t group = 0;
  std::uint32_t packets = 0;  // this and the next two: only of terminals created in the branch
  std::uint32_t locked = 0;
  std::uint32_t hung_up = 0;  // its slaves have been closed
  std::uint32_t exclusive = 0;
  TerminalData data;
  template <typename A>
  void fields(A& a) {
    a(number)(settings)(
        window)(uid)(gid)(mode)(session)(group)(packets)(locked)(hung_up)(exclusive)(data);
  }
};

}  // namespace sf::waypoint::native
