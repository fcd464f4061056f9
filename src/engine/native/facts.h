// Facts: data read from a stopped tree before the engine changes anything in it. Plain data.
// native_blockers.h judges them, and the captures of the resources start from them.
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
#include "engine/native/sockets/internet_sockets.h"
#include "os/fd.h"

namespace sf::waypoint::native {

struct DescriptorFacts {
  int number = 0;
  std::string link;  // target of the /proc link
  struct stat file {};
  std::uint64_t file_system = 0;  // its magic number
  FdInfoText info;
  SocketFacts socket;
  OwnerFacts owner;
  PtyFacts pty;
  InotifyFacts inotify;
  LostName lost;             // set if the link ends in " (deleted)"
  bool has_location = true;  // a removed directory could be created again at its path
};

struct ThreadFacts {
  pid_t tid = 0;  // in the engine's PID namespace
  StatText stat;
  StatusText status;
};

inline constexpr std::array kNamespaces = {"user", "pid", "mnt",    "net",
                                           "uts",  "ipc", "cgroup", "time"};
inline constexpr std::size_t kIpcNamespace = 5;  // index in kNamespaces

struct ProcessFacts {
  pid_t pid = 0;  // in the engine's PID namespace
  pid_t parent = 0;
  std::vector<ThreadFacts> threads;                            // leader first
  std::array<std::uint64_t, kNamespaces.size()> namespaces{};  // inode numbers
  std::vector<MappingText> mappings;
  std::vector<DescriptorFacts> descriptors;
  std::string auxv;
  std::string cwd;
  bool cwd_has_location = true;  // it exists, or could be created again
  std::string root;
  std::string exe;
  LostName exe_lost;
  std::string timers;  // /proc/pid/timers
  std::int32_t oom_score_adj = 0;
  std::uint32_t core_filter = 0;
  bool terminal_inside = true;      // or there is no controlling terminal
  bool may_undo = false;            // adjusts System V semaphores when it ends
  bool shares_with_parent = false;  // memory, descriptors or directories, but is not its thread

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
  std::vector<MountFacts> mounts;                                  // init's
  IpcFacts ipc;
  bool host_network = false;
  bool timer_ids = false;  // timers can be created with a chosen id
  std::int32_t own_oom_score_adj = 0;
};

// Pure. Parses /proc/pid/mountinfo.
std::vector<MountFacts> parse_mounts(const std::string& mountinfo);

using NamespaceNumbers = std::array<std::uint64_t, kNamespaces.size()>;
// `proc`: the process's directory in /proc.
NamespaceNumbers namespaces_of(const std::string& proc);
// Requires: the process is stopped, or has neither sockets nor terminals: reading those affects
// them.
Result<ProcessFacts> read_process(pid_t pid);
// Reads the same files of a running process and discards the result: the next read is faster.
void rehearse_reading(pid_t pid);
// Requires: every thread of the tree is stopped. `init`: known facts of init; facts that other
// processes may have changed are read again. Facts from outside the tree: host_context.h.
Result<TreeFacts> read_facts(const std::vector<pid_t>& processes, const ProcessFacts* init);

}  // namespace sf::waypoint::native
