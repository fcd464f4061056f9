// Child processes: spawn with exec, wait with a pidfd, and read /proc about any process. A process
// is never identified by its pid alone, since the kernel recycles pids: ProcessKey adds the start
// time.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

struct ExitStatus {
  bool signaled = false;
  int code = 0;  // exit code, or the signal's number
  int shell_code() const { return signaled ? 128 + code : code; }
  std::string text() const;
  static ExitStatus from_wait(int status);
};

// A direct child. The destructor kills and reaps it.
class Child {
 public:
  Child() = default;
  Child(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), pidfd_(std::move(other.pidfd_)) {}
  Child& operator=(Child&& other) noexcept;
  ~Child();

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }
  bool running() const { return pid_ > 0; }
  Status signal(int number) const;
  Result<ExitStatus> wait(Deadline deadline);
  // Gives up the process without ending it.
  void release() {
    pid_ = 0;
    pidfd_.reset();
  }

 private:
  pid_t pid_ = 0;
  UniqueFd pidfd_;
};

Result<Child> adopt_child(pid_t pid);

struct SpawnOptions {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // "KEY=value"; the child's whole environment
  std::vector<std::pair<int, int>>
      pass_fds;  // {ours, the child's number}; 0-2 default to /dev/null
  std::string cwd = "/";
  bool new_session = false;
  bool new_ipc = false;                   // start in a new IPC namespace
  bool new_cgroup_namespace = false;      // rooted at cgroup_procs
  std::vector<std::string> cgroup_procs;  // cgroup.procs files to enter before exec
  int death_signal = 0;                   // sent to the child when the caller's thread ends
};
Result<Child> spawn(const SpawnOptions& options);

// Spawns a process that outlives the caller. Init becomes its parent and reaps it.
Status spawn_detached(const SpawnOptions& options);

// kill(2) for one process, or for one process group. If `number` is 0, they only check that it
// exists. Fail with kInvalidArgument for pids that kill(2) applies to the caller's own group or to
// all processes (0 and below); the kernel shows pid 0 for a process of another PID namespace. All
// other code sends signals through these functions and Child::signal().
Status signal_process(pid_t pid, int number);
Status signal_group(pid_t group, int number);

struct ProcessKey {
  pid_t pid = 0;
  unsigned long long start_time = 0;  // clock ticks since boot, field 22 of /proc/pid/stat
  bool operator==(const ProcessKey&) const = default;
};
std::optional<ProcessKey> process_key(pid_t pid);
// The start time that a process started now would get.
unsigned long long start_time_now();
inline bool is_alive(const ProcessKey& key) { return process_key(key.pid) == key; }

// Pids are those of the caller's namespace.
std::vector<pid_t> children_of(pid_t pid);
// The process and all its descendants.
std::vector<pid_t> process_tree(pid_t root);
struct TreeMember {
  pid_t pid = 0;
  std::vector<pid_t> threads;  // empty: the process has ended meanwhile
};
std::vector<TreeMember> thread_tree(pid_t root);
// Pid in the process's own namespace (the last of NSpid).
std::optional<pid_t> namespace_pid(pid_t pid);
// The process group in the process's own namespace (the last of NSpgid). The group's leader may
// have ended.
std::optional<pid_t> namespace_group(pid_t pid);
std::string process_name(pid_t pid);
// The state in /proc: 'S' sleeping, 'T' stopped, 'Z' zombie; 0 if the process does not exist.
char process_state(pid_t pid);
std::string command_line(pid_t pid);

}  // namespace sf::os
