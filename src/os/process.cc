#include "os/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <sstream>

#include "os/error.h"
#include "os/file.h"
#include "os/pipe.h"
#include "os/socket.h"

namespace sf::os {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

// The child's report on the close-on-exec pipe; end of file means that exec succeeded.
struct ChildFailure {
  char step[24];
  int error;
};

// Runs between fork (or vfork) and exec, perhaps in the caller's memory. It makes only
// async-signal-safe calls and does not allocate.
class ChildSetup {
 public:
  ChildSetup(const SpawnOptions& options, int report) : options_(options), report_(report) {
    highest_ = std::max(highest_, report);
    for (const auto& [ours, theirs] : options.pass_fds)
      highest_ = std::max({highest_, ours, theirs});
  }

  [[noreturn]] void run(char* const* argv, char* const* env) {
    reset_signals();
    for (const std::string& procs : options_.cgroup_procs) enter_cgroup(procs.c_str());
    if (options_.new_ipc) check(::unshare(CLONE_NEWIPC), "unshare ipc");
    if (options_.new_cgroup_namespace) check(::unshare(CLONE_NEWCGROUP), "unshare cgroup");
    if (options_.new_session) ::setsid();
    if (options_.death_signal) ::prctl(PR_SET_PDEATHSIG, options_.death_signal);
    check(::chdir(options_.cwd.c_str()), "chdir");
    place_descriptors();
    ::execve(argv[0], argv, env);
    failed("exec");
  }

 private:
  static void reset_signals() {
    for (int n = 1; n < NSIG; ++n) ::signal(n, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  void enter_cgroup(const char* procs) {
    int fd = ::open(procs, O_WRONLY | O_CLOEXEC);
    if (fd < 0) failed("open cgroup.procs");
    if (::write(fd, "0", 1) != 1) failed("enter cgroup");
    ::close(fd);
  }

  // Copies the descriptors to unused numbers first, so that two descriptors can be swapped.
  void place_descriptors() {
    int base = highest_ + 16;
    ::syscall(SYS_close_range, base, ~0U, 0);  // frees the numbers above `base`
    int next = base;
    for (const auto& pass : options_.pass_fds) check(::fcntl(pass.first, F_DUPFD, next++), "dup");
    int report = ::fcntl(report_, F_DUPFD_CLOEXEC, next);
    check(report, "dup");
    report_ = report;
    int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2 && null >= 0; ++fd) ::dup2(null, fd);
    next = base;
    for (const auto& pass : options_.pass_fds) check(::dup2(next++, pass.second), "dup2");
    close_others();
  }

  void close_others() {
    int low = 3;
    for (;;) {
      int keep = report_;
      for (const auto& pass : options_.pass_fds) {
        if (pass.second >= low) keep = std::min(keep, pass.second);
      }
      if (keep > low) ::syscall(SYS_close_range, low, keep - 1, 0);
      if (keep == report_) break;
      low = keep + 1;
    }
    ::syscall(SYS_close_range, report_ + 1, ~0U, 0);
  }

  void check(int result, const char* step) {
    if (result < 0) failed(step);
  }

  [[noreturn]] void failed(const char* step) {
    ChildFailure failure{};
    failure.error = errno;
    for (std::size_t i = 0; i + 1 < sizeof failure.step && step[i]; ++i) failure.step[i] = step[i];
    ssize_t ignored = ::write(report_, &failure, sizeof failure);
    (void)ignored;
    ::_exit(127);
  }

  const SpawnOptions& options_;
  int report_;
  int highest_ = 2;
};

// A program start: prepare() before the fork, run() in the child, outcome() in the parent.
class Launch {
 public:
  static Result<Launch> prepare(const SpawnOptions& options) {
    SF_TRY_ASSIGN(Pipe report, make_pipe());
    return Launch(options, std::move(report));
  }

  // Not inlined: it must not change the frame that vfork() returns to a second time.
  [[noreturn, gnu::noinline]] void run() {
    ChildSetup(options_, report_.write_end.get()).run(argv_.data(), env_.data());
  }

  // Waits until exec has succeeded or failed.
  Status outcome() {
    report_.write_end.reset();
    ChildFailure failure{};
    ssize_t n = 0;
    do {
      n = ::read(report_.read_end.get(), &failure, sizeof failure);
    } while (n < 0 && errno == EINTR);
    if (n != static_cast<ssize_t>(sizeof failure)) return Ok{};
    return os_error(failure.error, "starting " + options_.argv[0] + " (" + failure.step + ")");
  }

 private:
  Launch(const SpawnOptions& options, Pipe report)
      : options_(options),
        argv_(pointers(options.argv)),
        env_(pointers(options.env)),
        report_(std::move(report)) {}

  const SpawnOptions& options_;
  std::vector<char*> argv_;
  std::vector<char*> env_;
  Pipe report_;
};

// Blocks all signals of this thread: a signal handler of the caller must not run in a child that
// shares its memory. The child resets the handlers before it unblocks the signals.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t old_;
};

// Starts a grandchild, which init will reap; returns the pid of the intermediate child. Uses
// vfork(), so that the kernel neither copies the daemon's page tables for each keeper nor makes its
// pages fault afterwards. spawn() uses fork() instead: its callers read /proc of the child
// immediately, and /proc shows the new program only some time after vfork() has returned.
pid_t start_detached(Launch& launch) {
  const BlockedSignals blocked;
  const pid_t middle = ::vfork();  // NOLINT: the child only calls ChildSetup::run() or _exit()
  if (middle == 0) {
    const pid_t pid = ::vfork();  // NOLINT: likewise
    if (pid == 0) launch.run();
    ::_exit(pid < 0 ? errno : 0);
  }
  return middle;
}

// Waits for a child that has ended or is about to end; returns its wait status.
int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string stat_fields_after_name(pid_t pid) {
  auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return {};
  std::size_t close = text->rfind(')');
  return close == std::string::npos ? std::string() : text->substr(close + 1);
}

}  // namespace

std::string ExitStatus::text() const {
  if (!signaled) return "exited " + std::to_string(code);
  const char* name = sigabbrev_np(code);
  return std::string("killed by SIG") + (name ? name : std::to_string(code).c_str());
}

ExitStatus ExitStatus::from_wait(int status) {
  if (WIFSIGNALED(status)) return {true, WTERMSIG(status)};
  return {false, WEXITSTATUS(status)};
}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    Child old(std::move(*this));
    pid_ = std::exchange(other.pid_, 0);
    pidfd_ = std::move(other.pidfd_);
  }
  return *this;
}

Child::~Child() {
  if (pid_ <= 0) return;
  (void)signal(SIGKILL);
  (void)wait(Deadline::never());
}

Status Child::signal(int number) const {
  if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0) != 0 && errno != ESRCH)
    return last_error("signalling process " + std::to_string(pid_));
  return Ok{};
}

Result<ExitStatus> Child::wait(Deadline deadline) {
  SF_TRY_ASSIGN(bool ended, wait_readable(pidfd_.get(), deadline));
  if (!ended)
    return fail(ErrorCode::kTimedOut, "process " + std::to_string(pid_) + " has not ended");
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) {
      int error = errno;
      release();
      return os_error(error, "waiting for a child");
    }
  }
  release();
  return ExitStatus::from_wait(status);
}

Result<Child> adopt_child(pid_t pid) {
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid()) return last_error("opening process " + std::to_string(pid));
  return Child(pid, std::move(pidfd));
}

Result<Child> spawn(const SpawnOptions& options) {
  SF_TRY_ASSIGN(Launch launch, Launch::prepare(options));
  const pid_t pid = ::fork();
  if (pid < 0) return last_error("forking");
  if (pid == 0) launch.run();
  auto child = adopt_child(pid);
  if (!child) {  // without a pidfd the caller could not end it
    ::kill(pid, SIGKILL);
    reap(pid);
    return child;
  }
  SF_TRY(launch.outcome());
  return child;
}

Status spawn_detached(const SpawnOptions& options) {
  SF_TRY_ASSIGN(Launch launch, Launch::prepare(options));
  const pid_t middle = start_detached(launch);
  if (middle < 0) return last_error("forking");
  int failed = WEXITSTATUS(reap(middle));
  SF_TRY(launch.outcome());
  if (failed != 0) return os_error(failed, "starting " + options.argv[0] + ": fork");
  return Ok{};
}

Status signal_process(pid_t pid, int number) {
  if (pid <= 0) return invalid(std::to_string(pid) + " is not the pid of one process");
  if (::kill(pid, number) != 0) return last_error("signalling process " + std::to_string(pid));
  return Ok{};
}

Status signal_group(pid_t group, int number) {
  if (group <= 1) return invalid(std::to_string(group) + " is not the pid of one process group");
  if (::kill(-group, number) != 0)
    return last_error("signalling process group " + std::to_string(group));
  return Ok{};
}

std::optional<ProcessKey> process_key(pid_t pid) {
  std::istringstream fields(stat_fields_after_name(pid));
  std::string skipped;
  if (!(fields >> skipped) || skipped == "Z" || skipped == "X") return std::nullopt;
  for (int i = 0; i < 18; ++i) fields >> skipped;
  ProcessKey key{pid, 0};
  if (!(fields >> key.start_time)) return std::nullopt;
  return key;
}

unsigned long long start_time_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_BOOTTIME, &now);
  const auto ticks = static_cast<unsigned long long>(::sysconf(_SC_CLK_TCK));
  return static_cast<unsigned long long>(now.tv_sec) * ticks +
         static_cast<unsigned long long>(now.tv_nsec) * ticks / 1'000'000'000U;
}

namespace {

// Returns the threads of a process and appends its children to `children`.
std::vector<pid_t> threads_with_children(pid_t pid, std::vector<pid_t>& children) {
  std::vector<pid_t> threads;
  const std::string base = "/proc/" + std::to_string(pid) + "/task";
  auto names = list_directory(base);
  if (!names) return threads;
  for (const std::string& name : *names) {
    threads.push_back(std::atoi(name.c_str()));
    auto text = read_file(base + "/" + name + "/children");
    if (!text || text->empty()) continue;
    std::istringstream pids(*text);
    for (pid_t child = 0; pids >> child;) children.push_back(child);
  }
  return threads;
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  (void)threads_with_children(pid, children);
  return children;
}

std::vector<TreeMember> thread_tree(pid_t root) {
  std::vector<TreeMember> tree;
  std::vector<pid_t> pids{root};
  for (std::size_t i = 0; i < pids.size(); ++i)
    tree.push_back({pids[i], threads_with_children(pids[i], pids)});
  return tree;
}

std::vector<pid_t> process_tree(pid_t root) {
  std::vector<pid_t> pids;
  for (const TreeMember& member : thread_tree(root)) pids.push_back(member.pid);
  return pids;
}

namespace {

// /proc lists one number per PID namespace of the process, the innermost last.
std::optional<pid_t> innermost(pid_t pid, const std::string& field) {
  auto text = read_file("/proc/" + std::to_string(pid) + "/status");
  if (!text) return std::nullopt;
  std::size_t at = text->find("\n" + field + ":");
  if (at == std::string::npos) return std::nullopt;
  at += field.size() + 2;
  std::istringstream line(text->substr(at, text->find('\n', at) - at));
  std::optional<pid_t> last;
  for (pid_t value = 0; line >> value;) last = value;
  return last;
}

}  // namespace

std::optional<pid_t> namespace_pid(pid_t pid) { return innermost(pid, "NSpid"); }

std::optional<pid_t> namespace_group(pid_t pid) { return innermost(pid, "NSpgid"); }

char process_state(pid_t pid) {
  const std::string fields = stat_fields_after_name(pid);
  return fields.size() > 1 ? fields[1] : '\0';
}

std::string process_name(pid_t pid) {
  auto text = read_file("/proc/" + std::to_string(pid) + "/comm");
  if (!text) return "?";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

std::string command_line(pid_t pid) {
  auto text = read_file("/proc/" + std::to_string(pid) + "/cmdline");
  if (!text || text->empty()) return process_name(pid);
  while (!text->empty() && text->back() == '\0') text->pop_back();
  std::replace(text->begin(), text->end(), '\0', ' ');
  return *text;
}

}  // namespace sf::os
