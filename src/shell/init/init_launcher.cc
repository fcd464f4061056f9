#include "shell/init/init_launcher.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "os/error.h"
#include "os/pipe.h"
#include "shell/init/init_channel.h"
#include "shell/init/init_protocol.h"

namespace sf::waypoint {
namespace {

struct Failure {
  char step[32];
  int error;
};

// Everything that the child needs is prepared before the clone, because after it only
// async-signal-safe calls are allowed.
class InitChild {
 public:
  InitChild(const InitPlan& plan, int report)
      : plan_(plan),
        report_(report),
        proc_(plan.root_view + "/proc"),
        sys_(plan.root_view + "/sys"),
        pts_(plan.root_view + "/dev/pts") {
    for (const char* name : {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"})
      read_only_.push_back(plan.root_view + name);
  }

  [[noreturn]] void run() {
    mount_kernel_views();
    enter_root();
    if (plan_.instead != nullptr) {
      ::close(report_);
      plan_.instead(plan_.what);
    }
    make_channel();
    if (plan_.rlimits) plan_.rlimits->apply();  // needs a capability that is dropped next
    drop_capabilities();
    ::umask(022);
    ::setpriority(PRIO_PROCESS, 0, 0);  // do not inherit the manager's priority
    ::setsid();
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    char* argv[] = {const_cast<char*>("init"), nullptr};
    char* env[] = {nullptr};
    ::execve(kInitPath, argv, env);
    failed("exec init");
  }

 private:
  void mount_kernel_views() {
    check(::mount("proc", proc_.c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr),
          "mount /proc");
    check(::mount("sysfs", sys_.c_str(), "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY,
                  nullptr),
          "mount /sys");
    check(::mount("devpts", pts_.c_str(), "devpts", MS_NOSUID | MS_NOEXEC,
                  "newinstance,ptmxmode=0666,mode=0620"),
          "mount /dev/pts");
    // These files are the host's, and root without CAP_SYS_ADMIN could still write them if their
    // modes allow it.
    for (const std::string& path : read_only_) {
      if (::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0) {
        if (errno == ENOENT) continue;
        failed("bind in /proc");
      }
      check(::mount(nullptr, path.c_str(), nullptr,
                    MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr),
            "protect /proc");
    }
  }

  void enter_root() {
    check(::chdir(plan_.root_view.c_str()), "chdir to the root");
    check(static_cast<int>(::syscall(SYS_pivot_root, ".", ".")), "pivot_root");
    check(::umount2(".", MNT_DETACH), "detach the old root");
    check(::chdir("/"), "chdir");
  }

  // Closes all descriptors except init's and the report.
  void make_channel() {
    int report = ::fcntl(report_, F_DUPFD_CLOEXEC, kInitScratchEnd);
    check(report, "dup");
    report_ = report;
    if (const char* step = make_init_channel()) failed(step);
    int null = ::open("/dev/null", O_RDWR);
    check(null, "open /dev/null");
    for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
    ::syscall(SYS_close_range, static_cast<int>(kInitFdEnd), report_ - 1, 0);
    ::syscall(SYS_close_range, report_ + 1, ~0U, 0);
  }

  void drop_capabilities() {
    for (int cap = 0; cap < 64; ++cap) {
      if ((plan_.capabilities >> static_cast<unsigned>(cap)) & 1U) continue;
      if (::prctl(PR_CAPBSET_DROP, cap) != 0 && errno != EINVAL) failed("drop capability");
    }
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (::syscall(SYS_capget, &header, data) != 0) failed("capget");
    for (unsigned i = 0; i < 2; ++i) {
      auto mask = static_cast<__u32>(plan_.capabilities >> (32U * i));
      data[i].permitted &= mask;
      data[i].effective &= mask;
      data[i].inheritable = 0;
    }
    if (::syscall(SYS_capset, &header, data) != 0) failed("capset");
  }

  void check(int result, const char* step) {
    if (result < 0) failed(step);
  }

  [[noreturn]] void failed(const char* step) {
    Failure failure{};
    failure.error = errno;
    std::strncpy(failure.step, step, sizeof failure.step - 1);
    ssize_t ignored = ::write(report_, &failure, sizeof failure);
    (void)ignored;
    ::_exit(127);
  }

  const InitPlan& plan_;
  int report_;
  std::string proc_;
  std::string sys_;
  std::string pts_;
  std::vector<std::string> read_only_;
};

Error launch_error(const Failure& failure) {
  Error error =
      os::os_error(failure.error, std::string("starting the branch's init: ") + failure.step);
  if (failure.error == EPERM)
    return std::move(error).with_hint(
        "this needs root with CAP_SYS_ADMIN; run `statefork doctor` for details");
  if (failure.error == EAGAIN)
    return std::move(error).with_hint("raise the pids limit of the branch");
  return error;
}

}  // namespace

Result<os::Child> launch_init(const InitPlan& plan) {
  SF_TRY_ASSIGN(os::Pipe pipe, os::make_pipe());
  InitChild child(plan, pipe.write_end.get());
  SF_TRY_ASSIGN(os::Child init,
                plan.cgroup_forker->fork_child(
                    [](void* self) { static_cast<InitChild*>(self)->run(); }, &child));
  pipe.write_end.reset();
  Failure failure{};
  ssize_t n = 0;
  do {
    n = ::read(pipe.read_end.get(), &failure, sizeof failure);
  } while (n < 0 && errno == EINTR);
  if (n == static_cast<ssize_t>(sizeof failure)) return launch_error(failure);
  return init;
}

}  // namespace sf::waypoint
