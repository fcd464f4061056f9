#include "shell/init/init.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "shell/init/init_protocol.h"
#include "shell/init/request_reader.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxRequest = kMaxRequestBytes;
constexpr std::size_t kMaxWatched = 256;

struct Pipes {
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
};

void report(const char* format, auto... values) {
  char line[160];
  // NOLINTNEXTLINE(clang-diagnostic-format-security): every format is a literal of this file
  int n = std::snprintf(line, sizeof line, format, values...);
  ssize_t ignored = ::write(kEventWrite, line, static_cast<std::size_t>(n));
  (void)ignored;
}

[[noreturn]] void start_failed(const Start& start, const char* step) {
  report("F %ld %d %s\n", start.id, errno, step);
  ::_exit(127);
}

void default_signals() {
  for (int n = 1; n < NSIG; ++n) ::signal(n, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A process that init started, and the read ends of its output.
struct Watched {
  pid_t pid = 0;  // 0: ended, or the slot is unused
  int out = 0;    // kFirstSink or above; 0: none
  int err = 0;

  void close_sinks() {
    for (int* fd : {&out, &err}) {
      if (*fd != 0) ::close(*fd);
      *fd = 0;
    }
  }
};

// Closes all descriptors that a holder must not have, and moves `ready` to kInitFdEnd. Processes of
// the holder's user may open the holder's descriptors. So it must not have the ends with which init
// is controlled, or descriptors of an agent.
void keep_what_a_holder_holds(int ready) {
  for (int fd : {kEventRead, kAckWrite, kRequestRead, kRequestWrite, kRequestText}) ::close(fd);
  ::dup2(ready, kInitFdEnd);
  if (ready != kInitFdEnd) ::close(ready);  // not every kernel has close_range (gVisor)
  ::syscall(SYS_close_range, static_cast<unsigned>(kInitFdEnd) + 1, ~0U, 0U);
}

void become_user(const Start& start) {
  if (::setgroups(start.group_count, start.groups.data()) != 0) start_failed(start, "setgroups");
  if (::setresgid(start.gid, start.gid, start.gid) != 0) start_failed(start, "setgid");
  if (::setresuid(start.uid, start.uid, start.uid) != 0) start_failed(start, "setuid");
}

[[noreturn]] void run(const Start& start) {
  become_user(start);
  if (::chdir(start.cwd) != 0) start_failed(start, "chdir");
  ::environ = start.env;  // execvp() must search the program's PATH, not init's
  ::execvp(start.argv[0], start.argv);
  start_failed(start, "exec");
}

class Init {
 public:
  [[noreturn]] void main_loop() {
    for (int fd = kEventRead; fd < kInitFdEnd; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGCHLD, &action, nullptr);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &child, nullptr);
    sigset_t open;
    sigemptyset(&open);
    for (;;) {
      reap();
      pollfd request{kRequestRead, POLLIN, 0};
      if (::ppoll(&request, 1, nullptr, &open) > 0) serve();
    }
  }

 private:
  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      for (Watched& watched : watched_) {
        if (watched.pid != pid) continue;
        watched.pid = 0;
        report("X %d %d\n", pid, status);
      }
    }
  }

  // A started process needs a slot, or init would not report its end.
  Watched* free_slot() {
    for (Watched& slot : watched_) {
      if (slot.pid == 0 && &slot != starting_) return &slot;
    }
    return nullptr;
  }

  void serve() {
    answer();
    forget();
  }

  void answer() {
    char byte = 0;
    if (::read(kRequestRead, &byte, 1) != 1) return;
    ssize_t size = ::pread(kRequestText, text_, sizeof text_ - 1, 0);
    if (size <= 0) return;
    text_[size] = 0;
    bool whole = request_.load(text_, static_cast<std::size_t>(size)) &&
                 static_cast<std::size_t>(size) < sizeof text_ - 1;
    const char* kind = request_.word();
    if (!whole) return refuse(request_.number(), E2BIG);
    Start start;
    if (!request_.read_start(start)) return refuse(start.id, EINVAL);
    if (std::strcmp(kind, "go") == 0) {
      if (start.id == 0 || start.id == pipes_of_) close_pipes();
    } else if (std::strcmp(kind, "sweep") == 0) {
      sweep();
    } else if (free_slot() == nullptr) {
      return refuse(start.id, EAGAIN);
    }
    if (std::strcmp(kind, "shell") == 0) start_shell(start);
    if (std::strcmp(kind, "holder") == 0) start_holder(start);
    if (std::strcmp(kind, "side") == 0) start_side(start);
    report("D\n");
  }

  // Frees the request's pages, because all used memory becomes part of every checkpoint.
  void forget() {
    constexpr std::size_t kPage = 4096;
    for (auto [start, size] : {std::pair{static_cast<void*>(text_), sizeof text_},
                               std::pair{static_cast<void*>(&request_), sizeof request_}}) {
      auto first = (reinterpret_cast<std::uintptr_t>(start) + kPage - 1) / kPage * kPage;
      auto end = (reinterpret_cast<std::uintptr_t>(start) + size) / kPage * kPage;
      ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
    }
  }

  static void refuse(long id, int error) { report("F %ld %d request\nD\n", id, error); }

  void start_shell(const Start& start) {
    pid_t pid = ::fork();
    if (pid == 0) {
      default_signals();
      ::setsid();
      int terminal = ::open(kTerminalPath, O_RDWR);
      if (terminal < 0) start_failed(start, "open terminal");
      ::ioctl(terminal, TIOCSCTTY, 0);
      for (int fd = 0; fd <= 2; ++fd) ::dup2(terminal, fd);
      if (terminal > 2) ::close(terminal);
      run(start);
    }
    started(start, pid);
    if (pid > 0) report("L %d\n", pid);
  }

  // Reports the holder only when it is dumpable, or has died. Before that, its descriptors cannot
  // be opened.
  void start_holder(const Start& start) {
    int ready[2];
    if (::pipe2(ready, O_CLOEXEC) != 0) {
      report("F %ld %d pipe\n", start.id, errno);
      return;
    }
    pid_t pid = ::fork();
    if (pid == 0) {
      default_signals();
      for (Watched& watched : watched_) watched.close_sinks();
      keep_what_a_holder_holds(ready[1]);
      become_user(start);
      ::prctl(PR_SET_DUMPABLE, 1);  // otherwise its /proc entry would belong to root
      ::prctl(PR_SET_NAME, "waypoint-holder");
      ::close(kInitFdEnd);
      for (;;) ::pause();
    }
    started(start, pid);
    ::close(ready[1]);
    char nothing = 0;
    while (pid > 0 && ::read(ready[0], &nothing, 1) < 0 && errno == EINTR) {
    }
    ::close(ready[0]);
    if (pid > 0) report("A %d\n", pid);
  }

  void start_side(const Start& start) {
    close_pipes();
    if (::pipe2(pipes_.in, O_CLOEXEC) != 0 || !make_output(pipes_.out) ||
        !make_output(pipes_.err)) {
      report("F %ld %d pipe\n", start.id, errno);
      close_pipes();
      return;
    }
    pipes_of_ = start.id;
    pid_t pid = ::fork();
    if (pid == 0) {
      default_signals();
      ::setpgid(0, 0);  // no new session: an engine cannot capture a session without its leader,
                        // which this command would leave when it ends
      ::dup2(pipes_.in[0], 0);
      ::dup2(pipes_.out[1], 1);
      ::dup2(pipes_.err[1], 2);
      run(start);
    }
    Watched* side = started(start, pid);
    if (side == nullptr) return close_pipes();
    side->out = std::exchange(pipes_.out[0], -1);
    side->err = std::exchange(pipes_.err[0], -1);
    starting_ = side;
    report("P %ld %d %d %d %d\n", start.id, pid, pipes_.in[1], side->out, side->err);
  }

  // Makes a pipe with its read end at kFirstSink or above, where a keeper looks for it.
  static bool make_output(int (&ends)[2]) {
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    int sink = ::fcntl(ends[0], F_DUPFD_CLOEXEC, static_cast<int>(kFirstSink));
    if (sink < 0) return false;
    ::close(ends[0]);
    ends[0] = sink;
    return true;
  }

  // Returns null if the fork failed. Requires: free_slot().
  Watched* started(const Start& start, pid_t pid) {
    if (pid < 0) {
      report("F %ld %d fork\n", start.id, errno);
      return nullptr;
    }
    Watched* slot = free_slot();
    slot->close_sinks();
    slot->pid = pid;
    return slot;
  }

  void sweep() {
    for (Watched& watched : watched_) {
      if (watched.pid == 0 && &watched != starting_) watched.close_sinks();
    }
  }

  void close_pipes() {
    starting_ = nullptr;
    for (int* pair : {pipes_.in, pipes_.out, pipes_.err}) {
      for (int i = 0; i < 2; ++i) {
        if (pair[i] >= 0) ::close(pair[i]);
        pair[i] = -1;
      }
    }
  }

  std::array<Watched, kMaxWatched> watched_{};
  Pipes pipes_;
  Watched* starting_ = nullptr;  // owner of pipes_ until "go" arrives; it may have ended already
  long pipes_of_ = 0;            // id of the request that pipes_ were made for
  RequestReader request_;
  char text_[kMaxRequest];
};

}  // namespace

void run_init() {
  static Init init;  // too large for the stack; untouched pages cost nothing
  init.main_loop();
}

}  // namespace sf::waypoint
