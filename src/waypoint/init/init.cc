#include "waypoint/init/init.h"

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

#include "waypoint/init/init_protocol.h"
#include "waypoint/init/request_reader.h"

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

// Whoever is that user may take descriptors from it: none that init obeys, none of an agent's.
// And `ready`, at kInitFdEnd.
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
  ::environ = start.env;  // execvp() searches the PATH the program is to have, not init's own
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
      for (pid_t& watched : watched_) {
        if (watched != pid) continue;
        watched = 0;
        report("X %d %d\n", pid, status);
      }
    }
  }

  // Where a started process is remembered; its end would go unnoticed without.
  pid_t* free_slot() {
    for (pid_t& slot : watched_) {
      if (slot == 0) return &slot;
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
    if (free_slot() == nullptr && std::strcmp(kind, "go") != 0) return refuse(start.id, EAGAIN);
    if (std::strcmp(kind, "shell") == 0) start_shell(start);
    if (std::strcmp(kind, "holder") == 0) start_holder(start);
    if (std::strcmp(kind, "side") == 0) start_side(start);
    if (std::strcmp(kind, "go") == 0) close_pipes();
    report("D\n");
  }

  // Whatever lies in memory is part of every checkpoint.
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

  // Told of once it may be looked into, or has died: whoever came before would find a closed door.
  void start_holder(const Start& start) {
    int ready[2];
    if (::pipe2(ready, O_CLOEXEC) != 0) {
      report("F %ld %d pipe\n", start.id, errno);
      return;
    }
    pid_t pid = ::fork();
    if (pid == 0) {
      default_signals();
      keep_what_a_holder_holds(ready[1]);
      become_user(start);
      ::prctl(PR_SET_DUMPABLE, 1);  // or its /proc entry would belong to root
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
    if (::pipe2(pipes_.in, O_CLOEXEC) != 0 || ::pipe2(pipes_.out, O_CLOEXEC) != 0 ||
        ::pipe2(pipes_.err, O_CLOEXEC) != 0) {
      report("F %ld %d pipe\n", start.id, errno);
      close_pipes();
      return;
    }
    pid_t pid = ::fork();
    if (pid == 0) {
      default_signals();
      ::setpgid(0, 0);  // no new session: a leaderless session could not be captured once this
                        // command has ended
      ::dup2(pipes_.in[0], 0);
      ::dup2(pipes_.out[1], 1);
      ::dup2(pipes_.err[1], 2);
      run(start);
    }
    started(start, pid);
    if (pid < 0) return close_pipes();
    report("P %ld %d %d %d %d\n", start.id, pid, pipes_.in[1], pipes_.out[0], pipes_.err[0]);
  }

  void started(const Start& start, pid_t pid) {
    if (pid > 0) {
      *free_slot() = pid;
      return;
    }
    report("F %ld %d fork\n", start.id, errno);
  }

  void close_pipes() {
    for (int* pair : {pipes_.in, pipes_.out, pipes_.err}) {
      for (int i = 0; i < 2; ++i) {
        if (pair[i] >= 0) ::close(pair[i]);
        pair[i] = -1;
      }
    }
  }

  std::array<pid_t, kMaxWatched> watched_{};
  Pipes pipes_;
  RequestReader request_;
  char text_[kMaxRequest];
};

}  // namespace

void run_init() {
  static Init init;  // too large for the stack; untouched pages cost nothing
  init.main_loop();
}

}  // namespace sf::waypoint
