// Saved state of a process: threads, memory, signals, timers, attributes. Plain data.
#pragma once

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/user.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/native/memory/extent.h"

namespace sf::waypoint::native {

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
  std::uint64_t slice = 0;           // of the scheduler, in nanoseconds; 0: the default
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

struct Guard {  // memory that faults on every access
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

struct MemoryLayout {                      // as PR_SET_MM_MAP takes it
  std::array<std::uint64_t, 11> bounds{};  // code, data, brk, stack, arguments, environment
  std::string auxv;
  std::string exe;
  std::uint32_t exe_inode = kNone;  // if its name was removed
  std::uint64_t vdso = 0;           // where its first page is mapped; 0: nowhere
  template <typename A>
  void fields(A& a) {
    a(bounds)(auxv)(exe)(exe_inode)(vdso);
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
  std::int32_t thread = 0;  // SIGEV_THREAD_ID: the receiver
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
  std::int32_t terminal = -1;  // number of the controlling terminal; -1: none
  std::int32_t exit_signal = 0;
  std::int32_t exit_status = 0;      // kEnded: as wait() gives it
  std::uint32_t stop_noticed = 0;    // kStopped: the parent has waited for it already
  std::vector<ThreadImage> threads;  // leader first; an ended process has only its leader
  std::vector<Mapping> mappings;
  std::vector<Extent> pages;
  std::vector<Guard> guards;
  MemoryLayout layout;
  std::vector<Descriptor> descriptors;
  std::string cwd;
  std::uint32_t cwd_inode = kNone;  // if the directory was removed
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
    a(pid)(parent)(group)(session)(life)(terminal)(exit_signal)(exit_status)(stop_noticed)(threads)(mappings)(pages)(guards)(layout)(descriptors)(cwd)(cwd_inode)(umask)(actions)(pending)(timers)(posix_timers)(limits)(oom_score_adj)(core_filter)(dumpable)(subreaper)(personality)(no_huge_pages);
  }
};

}  // namespace sf::waypoint::native
