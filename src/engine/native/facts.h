// What is seen of a stopped tree before anything in it is touched. Plain data: native_blockers.h
// judges it, the captures of the resources start from it.
#pragma once

#include <sys/stat.h>

#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/files/file_owners.h"
#include "engine/native/files/inotify.h"
#include "engine/native/files/ptys.h"
#include "engine/native/ipc/sysv_ipc.h"
#include "engine/native/process/proc_texts.h"
#include "engine/native/sockets/sockets.h"
#include "os/fd.h"

namespace sf::waypoint::native {

struct DescriptorFacts {
  int number = 0;
  std::string link;  // what /proc says it is
  struct stat file {};
  std::uint64_t file_system = 0;  // its magic number
  FdInfoText info;
  SocketFacts socket;
  OwnerFacts owner;
  PtyFacts pty;
  InotifyFacts inotify;
  LostName lost;             // it is called deleted
  bool has_location = true;  // of a directory without a name: it could have it again
};

struct ThreadFacts {
  pid_t tid = 0;  // as the engine sees it
  StatText stat;
  StatusText status;
};

inline constexpr std::array kNamespaces = {"user", "pid", "mnt",    "net",
                                           "uts",  "ipc", "cgroup", "time"};
inline constexpr std::size_t kIpcNamespace = 5;  // of these

struct ProcessFacts {
  pid_t pid = 0;  // as the engine sees it
  pid_t parent = 0;
  std::vector<ThreadFacts> threads;                            // the first one leads
  std::array<std::uint64_t, kNamespaces.size()> namespaces{};  // inode numbers
  std::vector<MappingText> mappings;
  std::vector<DescriptorFacts> descriptors;
  std::string auxv;
  std::string cwd;
  bool cwd_has_location = true;  // it has its name, or could have it again
  std::string root;
  std::string exe;
  LostName exe_lost;
  std::string timers;  // /proc/pid/timers
  std::int32_t oom_score_adj = 0;
  std::uint32_t core_filter = 0;
  bool terminal_inside = true;      // or it has none
  bool may_undo = false;            // adjusts System V semaphores when it ends
  bool shares_with_parent = false;  // memory, descriptors or directories, though no thread of it

  bool ended() const { return threads[0].stat.state == 'Z'; }
  const StatText& stat() const { return threads[0].stat; }
  const StatusText& status() const { return threads[0].status; }
  pid_t inner_pid() const { return status().pids.back(); }
};

struct MountFacts {
  std::string location;
  std::string type;
};

struct TreeFacts {
  std::vector<ProcessFacts> processes;                             // init first
  std::array<std::uint64_t, kNamespaces.size()> own_namespaces{};  // the engine's
  std::vector<MountFacts> mounts;                                  // of init
  IpcFacts ipc;
  bool host_network = false;
  bool timer_ids = false;  // a timer can be given its id
  std::int32_t own_oom_score_adj = 0;
};

// Pure. From /proc/pid/mountinfo.
std::vector<MountFacts> parse_mounts(const std::string& mountinfo);

using NamespaceNumbers = std::array<std::uint64_t, kNamespaces.size()>;
// Of a process with this directory in /proc.
NamespaceNumbers namespaces_of(const std::string& proc);
// Requires: it is stopped, or has neither sockets nor terminals, which are touched to be looked at.
Result<ProcessFacts> read_process(pid_t pid);
// Reads what can be read of one that runs, and forgets it: the next time is quicker.
void rehearse_reading(pid_t pid);
// Requires: every thread of the tree is stopped. `init`: what is known of it already; what others
// may have changed is read all the same. What is around the tree is not looked at: host_context.h.
Result<TreeFacts> read_facts(const std::vector<pid_t>& processes, const ProcessFacts* init);

}  // namespace sf::waypoint::native
