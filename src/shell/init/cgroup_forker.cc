#include "shell/init/cgroup_forker.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kStackSize = 256U << 10U;
constexpr long kLookTime = 20'000'000;  // ns, between two checks whether the helper has ended

// The helper shares its memory with a thread that uses errno, so it must not use libc's wrappers.
long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  register long r10 asm("r10") = d;
  asm volatile("syscall"
               : "+a"(number)
               : "D"(a), "S"(b), "d"(c), "r"(r10)
               : "rcx", "r11", "memory");
  return number;
}

long address(const void* what) { return reinterpret_cast<long>(what); }

void say(std::uint32_t& word, std::uint32_t value) {
  __atomic_store_n(&word, value, __ATOMIC_SEQ_CST);
  raw_call(SYS_futex, address(&word), FUTEX_WAKE, 1);
}

void await_change(std::uint32_t& word, std::uint32_t from, const timespec* patience) {
  raw_call(SYS_futex, address(&word), FUTEX_WAIT, from, address(patience));
}

// Kills the process if it cannot be adopted, because without a Child it would never be ended.
Result<os::Child> adopt(pid_t pid) {
  auto child = os::adopt_child(pid);
  if (child) return child;
  (void)os::signal_process(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return child;
}

}  // namespace

// The helper process. Shares memory and descriptors with its maker, but not the control groups or
// the thread group. Ends after one fork.
struct CgroupForker::Helper {
  enum State : std::uint32_t { kEntering, kReady, kAsked, kDone };

  std::uint32_t state = kEntering;
  std::vector<os::UniqueFd> groups;
  long failure = 0;  // -errno of entering a group, or of the fork
  bool entered = false;
  void (*body)(void*) = nullptr;
  void* what = nullptr;
  // The kernel writes this before the child runs, so the child is known even if the helper is
  // killed right after the fork.
  pid_t child_pid = 0;
  pid_t maker = ::getpid();
  os::UniqueFd maker_end;  // pidfd of the maker
  void* stack = MAP_FAILED;
  os::Child process;

  Helper() = default;
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() {
    if (process.running()) {
      (void)process.signal(SIGKILL);
      (void)process.wait(Deadline::never());
    }
    if (stack != MAP_FAILED) ::munmap(stack, kStackSize);
  }

  // Waits until the helper has reached `wanted` or kDone; false if it was killed before.
  bool await(State wanted) {
    for (;;) {
      std::uint32_t now = __atomic_load_n(&state, __ATOMIC_SEQ_CST);
      if (now == wanted || now == kDone) return true;
      pollfd ended{process.pidfd(), POLLIN, 0};
      if (::poll(&ended, 1, 0) > 0) return __atomic_load_n(&state, __ATOMIC_SEQ_CST) == kDone;
      timespec patience{0, kLookTime};
      await_change(state, now, &patience);
    }
  }

  [[noreturn]] void end() {
    say(state, kDone);
    for (;;) raw_call(SYS_exit_group, 0);
  }

  [[noreturn]] void live() {
    std::uint64_t all = ~0ULL;  // block all signals until the child is set up
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, address(&all), 0, sizeof all);
    raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (raw_call(SYS_getppid) != maker) end();
    for (const os::UniqueFd& group : groups) {
      failure = raw_call(SYS_write, group.get(), address("0"), 1);
      if (failure < 0) end();
    }
    failure = raw_call(SYS_unshare, CLONE_NEWCGROUP);
    if (failure < 0) end();
    entered = true;
    say(state, kReady);
    while (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == kReady)
      await_change(state, kReady, nullptr);
    clone_args args{};
    // The child's parent is the helper's maker.
    args.flags = CLONE_PARENT | CLONE_PARENT_SETTID | CLONE_NEWPID | CLONE_NEWNS;
    args.parent_tid = reinterpret_cast<std::uint64_t>(&child_pid);
    long pid = raw_call(SYS_clone3, address(&args), sizeof args);
    if (pid == 0) begin();
    failure = pid < 0 ? pid : 0;
    end();
  }

  // The child must end with its maker, even if the maker has ended already. getppid() cannot show
  // that: it is always 0, because the parent is outside of the child's PID namespace.
  [[noreturn]] void begin() {
    raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    pollfd ended{maker_end.get(), POLLIN, 0};
    if (raw_call(SYS_poll, address(&ended), 1, 0) == 0) body(what);
    for (;;) raw_call(SYS_exit_group, 127);
  }

  static int main(void* self) { static_cast<Helper*>(self)->live(); }
};

CgroupForker::CgroupForker(std::vector<std::string> cgroup_procs)
    : cgroup_procs_(std::move(cgroup_procs)) {}
CgroupForker::~CgroupForker() = default;

Status CgroupForker::warm_up() {
  if (helper_) return Ok{};
  auto helper = std::make_unique<Helper>();
  helper->maker_end.reset(static_cast<int>(::syscall(SYS_pidfd_open, helper->maker, 0)));
  if (!helper->maker_end.valid()) return os::last_error("opening this process");
  for (const std::string& procs : cgroup_procs_) {
    SF_TRY_ASSIGN(os::UniqueFd group, os::open_file(procs, O_WRONLY));
    helper->groups.push_back(std::move(group));
  }
  helper->stack = ::mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (helper->stack == MAP_FAILED) return os::last_error("making a stack");
  pid_t pid = ::clone(Helper::main, static_cast<char*>(helper->stack) + kStackSize,
                      CLONE_VM | CLONE_FILES | SIGCHLD, helper.get());
  if (pid < 0) return os::last_error("starting a process");
  // The process runs in this memory; adopt() has ended it if it failed.
  SF_TRY_ASSIGN(helper->process, adopt(pid));
  bool said = helper->await(Helper::kReady);
  if (!said) return fail(ErrorCode::kOs, "the process that starts the branch's init was killed");
  if (!helper->entered)
    return os::os_error(static_cast<int>(-helper->failure), "entering the branch's control groups")
        .with_hint("raise the pids limit of the branch");
  helper_ = std::move(helper);
  return Ok{};
}

Result<os::Child> CgroupForker::fork_child(void (*body)(void*), void* what) {
  for (bool again = false;; again = true) {
    SF_TRY(warm_up());
    std::unique_ptr<Helper> helper = std::move(helper_);  // a helper forks only once
    helper->body = body;
    helper->what = what;
    say(helper->state, Helper::kAsked);
    bool done = helper->await(Helper::kDone);
    if (helper->child_pid != 0) return adopt(helper->child_pid);
    if (done)
      return os::os_error(static_cast<int>(-helper->failure), "creating the branch's namespaces")
          .with_hint("this needs root with CAP_SYS_ADMIN; run `statefork doctor` for details");
    // The helper was killed before it could fork.
    if (again) return fail(ErrorCode::kOs, "the process that starts the branch's init was killed");
  }
}

}  // namespace sf::waypoint
