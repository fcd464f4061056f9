// What is kept of a tree: plain data, written by the captures of the resources and read by their
// restores. Pids are the branch's own. Bytes of memory and files lie beside it, in the pages file.
#pragma once

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/user.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint::native {

inline constexpr std::uint32_t kNone = 0xffffffffU;

struct Extent {          // of a pages file
  std::uint64_t at = 0;  // address, or offset in the file it belongs to
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint64_t file = 0;  // of the image's pages files; 0: its own
};

struct SignalAction {  // as the kernel keeps it
  std::uint64_t handler = 0;
  std::uint64_t flags = 0;
  std::uint64_t restorer = 0;
  std::uint64_t mask = 0;
};

using SignalInfo = std::array<unsigned char, 128>;

struct Credentials {
  std::array<std::uint32_t, 4> uids{};  // real, effective, saved, of the file system
  std::array<std::uint32_t, 4> gids{};
  std::vector<std::uint32_t> groups;
  std::array<std::uint64_t, 5>
      capabilities{};  // inheritable, permitted, effective, bounding, ambient
  std::uint32_t secure_bits = 0;
  std::uint32_t no_new_privileges = 0;
  template <typename A>
  void fields(A& a) {
    a(uids)(gids)(groups)(capabilities)(secure_bits)(no_new_privileges);
  }
  bool operator==(const Credentials&) const = default;
};

struct RseqArea {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::uint32_t signature = 0;
};

struct AlternateStack {
  std::uint64_t address = 0;
  std::int32_t flags = 0;
  std::int32_t padding = 0;
  std::uint64_t size = 0;
};

struct FilterImage {  // of system calls
  std::uint32_t flags = 0;
  std::string instructions;
  template <typename A>
  void fields(A& a) {
    a(flags)(instructions);
  }
};

struct ThreadImage {
  pid_t tid = 0;
  std::string name;
  user_regs_struct registers{};
  std::string extended;  // floating point and vector registers, as ptrace gives them
  std::uint64_t blocked = 0;
  std::vector<SignalInfo> pending;  // to this thread alone
  AlternateStack alternate_stack;
  std::uint64_t clear_tid = 0;
  std::uint64_t robust_list = 0;
  std::uint64_t robust_size = 0;
  RseqArea rseq;
  Credentials credentials;
  std::int32_t nice = 0;
  std::int32_t io_priority = 0;
  std::int32_t death_signal = 0;
  std::uint64_t timer_slack = 0;
  std::uint64_t slice = 0;           // of the scheduler's, in nanoseconds; 0: the usual one
  std::uint32_t resets_on_fork = 0;  // niceness and slice
  std::uint32_t time_stamp = 0;      // PR_GET_TSC
  std::uint32_t memory_failure = 0;  // PR_MCE_KILL_GET
  std::string affinity;
  std::vector<FilterImage> filters;  // oldest first
  template <typename A>
  void fields(A& a) {
    a(tid)(name)(
        registers)(extended)(blocked)(pending)(alternate_stack)(clear_tid)(robust_list)(robust_size)(rseq)(credentials)(nice)(io_priority)(death_signal)(timer_slack)(slice)(resets_on_fork)(time_stamp)(memory_failure)(affinity)(filters);
  }
};

enum class MappingKind : std::uint32_t { kAnonymous, kFile, kShared, kSysv, kKernel };

struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::uint32_t protection = 0;  // as mmap takes it
  std::uint32_t flags = 0;       // likewise, without MAP_FIXED; kSysv: and SHM_RDONLY
  MappingKind kind = MappingKind::kAnonymous;
  std::uint32_t file = kNone;  // kFile: index of TreeImage::mapped, kShared: of inodes, kSysv: id
  std::vector<std::int32_t> advice;  // for madvise, in this order
  std::uint32_t locked = 0;          // mlock2: 1 whole, 2 on fault
  std::string name;                  // of an anonymous mapping
  template <typename A>
  void fields(A& a) {
    a(start)(end)(offset)(protection)(flags)(kind)(file)(advice)(locked)(name);
  }
};

struct MemoryLayout {                      // as PR_SET_MM_MAP takes it
  std::array<std::uint64_t, 11> bounds{};  // code, data, brk, stack, arguments, environment
  std::string auxv;
  std::string exe;
  std::uint64_t vdso = 0;  // where its first page is mapped; 0: nowhere
  template <typename A>
  void fields(A& a) {
    a(bounds)(auxv)(exe)(vdso);
  }
};

struct Descriptor {
  std::int32_t number = 0;
  std::uint32_t file = 0;  // index of TreeImage::files
  std::uint32_t close_on_exec = 0;
};

struct PosixTimer {
  std::int32_t id = 0;
  std::int32_t clock = 0;
  std::int32_t notify = 0;  // SIGEV_...
  std::int32_t signal = 0;
  std::int32_t thread = 0;  // SIGEV_THREAD_ID: whom
  std::int32_t padding = 0;
  std::uint64_t value = 0;
  std::array<std::uint64_t, 4> times{};  // itimerspec
};

enum class Life : std::uint32_t { kRunning, kStopped, kEnded };

struct ProcessImage {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  Life life = Life::kRunning;
  std::int32_t terminal = -1;  // number of the controlling one; -1: none
  std::int32_t exit_signal = 0;
  std::int32_t exit_status = 0;      // kEnded: as wait() gives it
  std::uint32_t stop_noticed = 0;    // kStopped: the parent has waited for it already
  std::vector<ThreadImage> threads;  // the first one leads; an ended process has that one alone
  std::vector<Mapping> mappings;
  std::vector<Extent> pages;
  MemoryLayout layout;
  std::vector<Descriptor> descriptors;
  std::string cwd;
  std::uint32_t cwd_inode = kNone;  // it has no name any more
  std::uint32_t umask = 0;
  std::array<SignalAction, 64> actions{};
  std::vector<SignalInfo> pending;
  std::array<itimerval, 3> timers{};
  std::vector<PosixTimer> posix_timers;
  std::array<rlimit, 16> limits{};
  std::int32_t oom_score_adj = 0;
  std::uint32_t core_filter = 0;
  std::uint32_t dumpable = 0;
  std::uint32_t subreaper = 0;
  std::uint32_t personality = 0;
  std::uint32_t no_huge_pages = 0;
  template <typename A>
  void fields(A& a) {
    a(
        pid)(parent)(group)(session)(life)(terminal)(exit_signal)(exit_status)(stop_noticed)(threads)(mappings)(pages)(layout)(descriptors)(cwd)(cwd_inode)(umask)(actions)(pending)(timers)(posix_timers)(limits)(oom_score_adj)(core_filter)(dumpable)(subreaper)(personality)(no_huge_pages);
  }
};

enum class FileKind : std::uint32_t {
  kPath,
  kTerminal,     // a slave
  kMaster,       // of a terminal made inside
  kOwnTerminal,  // /dev/tty
  kInode,
  kEvent,
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
  pid_t owner = 0;  // who has it first; fills a kEpoll
  template <typename A>
  void fields(A& a) {
    a(kind)(numbers)(watched)(watches)(owner);
  }
};

struct SocketOption {
  std::int32_t level = 0;
  std::int32_t name = 0;
  std::string value;
  template <typename A>
  void fields(A& a) {
    a(level)(name)(value);
  }
};

// How a Unix socket hangs together with others.
enum class UnixTie : std::uint32_t {
  kAlone,      // not at all
  kPair,       // made with its other end
  kClient,     // it connected, and the other end was accepted
  kServer,     // it was accepted: its name is the listener's
  kWaits,      // it connected, and was not accepted yet
  kAddressed,  // datagrams: it sends to a name
};

struct SocketMessage {
  std::string bytes;
  std::string from;  // name of the sender
  template <typename A>
  void fields(A& a) {
    a(bytes)(from);
  }
};

struct SocketMaker {  // as SO_PEERCRED tells of the other end; no pid: nobody
  pid_t pid = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

struct UnixImage {
  UnixTie tie = UnixTie::kAlone;
  std::uint32_t inode = 0;  // by which others name it
  std::uint32_t peer = 0;   // inode of the other end; 0: it is gone
  std::string peer_name;
  std::string path;  // of the file that its name made
  std::uint32_t path_gone = 0;
  std::uint32_t shutdown = 0;  // 1: reads, 2: writes
  std::uint32_t has_error = 0;
  std::int32_t send_buffer = 0;
  SocketMaker maker;
  std::vector<std::uint32_t> waiting;  // inodes of who wait to be accepted
  std::vector<SocketMessage> queue;    // of a stream: one message at most
  template <typename A>
  void fields(A& a) {
    a(tie)(inode)(
        peer)(peer_name)(path)(path_gone)(shutdown)(has_error)(send_buffer)(maker)(waiting)(queue);
  }
};

struct TcpImage {  // a connection; no state: none
  std::uint32_t state = 0;
  std::uint32_t send_number = 0;  // behind everything in the queue
  std::uint32_t receive_number = 0;
  std::string unacknowledged;
  std::string unread;
  std::uint32_t negotiated = 0;  // options, as TCP_INFO tells them
  std::uint32_t send_scale = 0;
  std::uint32_t receive_scale = 0;
  std::uint32_t segment = 0;  // largest
  std::uint32_t timestamp = 0;
  std::int32_t buffer_lock = 0;
  std::array<std::uint32_t, 5> window{};  // tcp_repair_window
  template <typename A>
  void fields(A& a) {
    a(state)(send_number)(
        receive_number)(unacknowledged)(unread)(negotiated)(send_scale)(receive_scale)(segment)(timestamp)(buffer_lock)(window);
  }
};

struct SocketImage {
  std::int32_t family = 0;
  std::int32_t type = 0;
  std::int32_t protocol = 0;
  std::uint32_t listens = 0;
  std::int32_t backlog = 0;
  std::string name;  // as bind() takes it; empty: not bound
  std::string peer;
  std::vector<SocketOption> options;  // that differ from a fresh socket's
  UnixImage local;
  TcpImage tcp;
  template <typename A>
  void fields(A& a) {
    a(family)(type)(protocol)(listens)(backlog)(name)(peer)(options)(local)(tcp);
  }
};

enum class LockKind : std::uint32_t { kFlock, kPosix, kDescription };

struct FileLock {
  LockKind kind = LockKind::kFlock;
  std::uint32_t writes = 0;
  std::uint64_t start = 0;
  std::uint64_t size = 0;  // 0: to the end
  pid_t owner = 0;         // who takes it again
  std::int32_t padding = 0;
};

struct FileOwner {  // whom it sends signals; no pid: nobody
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
  kSharedMemory,
  kDirectory  // without a name
};

struct InodeImage {  // what has no name that could be opened, or more content than its file
  InodeKind kind = InodeKind::kPipe;
  std::string name;  // of a memory file; path of others
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
    a(kind)(name)(size)(mode)(uid)(gid)(seals)(times)(capacity)(content)(extents);
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

struct TerminalImage {
  std::int32_t number = 0;
  std::string settings;  // termios2
  std::array<std::uint16_t, 4> window{};
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t mode = 0;
  pid_t session = 0;
  pid_t group = 0;
  std::uint32_t packets = 0;  // and what else terminals made inside may have
  std::uint32_t locked = 0;
  std::uint32_t hung_up = 0;  // its slaves have been closed
  template <typename A>
  void fields(A& a) {
    a(number)(settings)(window)(uid)(gid)(mode)(session)(group)(packets)(locked)(hung_up);
  }
};

struct IpcObject {  // of System V
  std::int32_t id = 0;
  std::int32_t key = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t creator_uid = 0;
  std::uint32_t creator_gid = 0;
};

struct SegmentImage {  // shared memory
  IpcObject object;
  std::uint64_t size = 0;
  std::vector<Extent> extents;
  template <typename A>
  void fields(A& a) {
    a(object)(size)(extents);
  }
};

struct SemaphoresImage {
  IpcObject object;
  std::vector<std::uint16_t> values;
  template <typename A>
  void fields(A& a) {
    a(object)(values);
  }
};

struct LetterImage {
  long type = 0;
  std::string text;
  template <typename A>
  void fields(A& a) {
    a(type)(text);
  }
};

struct QueueImage {  // of messages
  IpcObject object;
  std::uint64_t capacity = 0;
  std::vector<LetterImage> letters;
  template <typename A>
  void fields(A& a) {
    a(object)(capacity)(letters);
  }
};

struct IpcImage {
  std::vector<SegmentImage> segments;
  std::vector<SemaphoresImage> semaphores;
  std::vector<QueueImage> queues;
  template <typename A>
  void fields(A& a) {
    a(segments)(semaphores)(queues);
  }
};

struct TreeImage {
  std::vector<ProcessImage> processes;  // init first, parents before children
  std::vector<FileImage> files;
  std::vector<InodeImage> inodes;
  std::vector<MappedFile> mapped;
  TerminalImage terminal;
  IpcImage ipc;
  std::vector<TerminalImage> ptys;  // made inside, in the order of their numbers
  std::uint32_t pages_files = 1;
  pid_t last_pid = 0;  // the pid counter; 0: the tree does not know it
  template <typename A>
  void fields(A& a) {
    a(processes)(files)(inodes)(mapped)(terminal)(ptys)(ipc)(pages_files);
  }
};

// In the image directory, beside the pages.
inline constexpr const char* kTreeFile = "/native-tree";
inline constexpr const char* kPagesFile = "/native-pages";

std::string encode_tree(TreeImage& tree);
Result<TreeImage> decode_tree(std::string_view bytes);

}  // namespace sf::waypoint::native
