// State of the process itself: children, signals, timers, credentials, limits.
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>  // NOLINT: sigset functions are POSIX
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sstream>

#include "feature.h"

namespace stateful {
namespace {

Probe zombies(const std::string&) {
  std::vector<pid_t> children;
  pid_t exited = must(::fork(), "fork");
  if (exited == 0) ::_exit(7);
  pid_t killed = must(::fork(), "fork");
  if (killed == 0) {
    for (;;) ::pause();
  }
  must(::kill(killed, SIGKILL), "kill");
  for (pid_t child : {exited, killed}) {
    siginfo_t info{};
    must(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), "waitid");
    children.push_back(child);
  }
  return [children](Answer& answer) {
    for (pid_t child : children) {
      siginfo_t info{};
      must(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG), "waitid");
      answer.say("zombie " + std::to_string(info.si_pid),
                 std::to_string(info.si_code) + "/" + std::to_string(info.si_status));
    }
  };
}

std::string members(const sigset_t& set) {
  std::string text;
  for (int number = 1; number < 65; ++number) {
    if (sigismember(&set, number) == 1) text += std::to_string(number) + " ";
  }
  return text;
}

void on_signal(int) {}

Probe signals(const std::string&) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaddset(&action.sa_mask, SIGTERM);
  must(::sigaction(SIGHUP, &action, nullptr), "sigaction");
  action.sa_handler = SIG_IGN;
  must(::sigaction(SIGPIPE, &action, nullptr), "sigaction");
  stack_t stack{};
  stack.ss_size = 65536;
  stack.ss_sp =
      ::mmap(nullptr, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  must(::sigaltstack(&stack, nullptr), "sigaltstack");
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int number : {SIGUSR1, SIGUSR2, SIGRTMIN + 3}) sigaddset(&blocked, number);
  must(::sigprocmask(SIG_BLOCK, &blocked, nullptr), "sigprocmask");
  must(::kill(::getpid(), SIGUSR1), "kill");
  return [=](Answer& answer) {
    sigset_t set;
    must(::sigprocmask(SIG_BLOCK, nullptr, &set), "sigprocmask");
    answer.say("blocked", members(set));
    must(::sigpending(&set), "sigpending");
    answer.say("pending", members(set));
    stack_t now{};
    must(::sigaltstack(nullptr, &now), "sigaltstack");
    answer.say("alternate stack", now.ss_sp == stack.ss_sp && now.ss_size == stack.ss_size ? 1 : 0);
    struct sigaction hangup {};
    must(::sigaction(SIGHUP, nullptr, &hangup), "sigaction");
    answer.say("handler", hangup.sa_handler == on_signal ? 1 : 0);
    answer.say("handler flags", hangup.sa_flags & (SA_RESTART | SA_ONSTACK));
    answer.say("handler mask", members(hangup.sa_mask));
    answer.say("ignored", own_status("SigIgn"));
  };
}

// Real-time signals are queued: three of one number with values, taken in order and sent again.
Probe queued_signals(const std::string&) {
  int number = SIGRTMIN + 3;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  must(::sigprocmask(SIG_BLOCK, &set, nullptr), "sigprocmask");
  for (int value : {10, 20, 30}) {
    must(::sigqueue(::getpid(), number, sigval{.sival_int = value}), "sigqueue");
  }
  return [=](Answer& answer) {
    std::vector<int> values;
    timespec now{0, 0};
    siginfo_t info{};
    while (::sigtimedwait(&set, &info, &now) == number) {
      values.push_back(info.si_value.sival_int);
      answer.say("from " + std::to_string(info.si_pid), info.si_value.sival_int);
    }
    for (int value : values)
      must(::sigqueue(::getpid(), number, sigval{.sival_int = value}), "sigqueue");
  };
}

bool about(long seconds, long wanted) { return seconds > wanted - 600 && seconds <= wanted; }

Probe posix_timers(const std::string&) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  must(::sigaction(SIGALRM, &ignore, nullptr), "sigaction");
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  timer_t periodic = nullptr;
  timer_t once = nullptr;
  must(::timer_create(CLOCK_MONOTONIC, &event, &periodic), "timer_create");
  must(::timer_create(CLOCK_REALTIME, &event, &once), "timer_create");
  itimerspec hourly{{3600, 0}, {3600, 0}};
  itimerspec later{{0, 0}, {7200, 0}};
  must(::timer_settime(periodic, 0, &hourly, nullptr), "timer_settime");
  must(::timer_settime(once, 0, &later, nullptr), "timer_settime");
  return [=](Answer& answer) {
    itimerspec now{};
    must(::timer_gettime(periodic, &now), "timer_gettime");
    answer.say("periodic interval", now.it_interval.tv_sec);
    answer.say("periodic armed", about(now.it_value.tv_sec, 3600) ? 1 : 0);
    must(::timer_gettime(once, &now), "timer_gettime");
    answer.say("once interval", now.it_interval.tv_sec);
    answer.say("once armed", about(now.it_value.tv_sec, 7200) ? 1 : 0);
  };
}

Probe interval_timers(const std::string&) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  must(::sigaction(SIGALRM, &ignore, nullptr), "sigaction");
  for (__itimer_which kind : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval value{{1000 + kind, 0}, {3600, 0}};
    must(::setitimer(kind, &value, nullptr), "setitimer");
  }
  return [](Answer& answer) {
    for (__itimer_which kind : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
      itimerval now{};
      must(::getitimer(kind, &now), "getitimer");
      answer.say("interval " + std::to_string(kind), now.it_interval.tv_sec);
      answer.say("armed " + std::to_string(kind), about(now.it_value.tv_sec, 3600) ? 1 : 0);
    }
  };
}

// A timer that signals a thread, timer ids with a gap, and the interval of a disarmed timer.
Probe odd_timers(const std::string&) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGALRM;
  event._sigev_un._tid = ::gettid();
  for (int i = 0; i < 3; ++i) {
    int id = 0;
    must(static_cast<int>(::syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id)),
         "timer_create");
    if (i == 1) must(static_cast<int>(::syscall(SYS_timer_delete, id)), "timer_delete");
  }
  itimerval resting{{77, 0}, {0, 0}};
  must(::setitimer(ITIMER_VIRTUAL, &resting, nullptr), "setitimer");
  return [](Answer& answer) {
    answer.say("timers", "\n" + read_whole_file("/proc/self/timers"));
    itimerval now{};
    must(::getitimer(ITIMER_VIRTUAL, &now), "getitimer");
    answer.say("interval", now.it_interval.tv_sec);
  };
}

// READ_IMPLIES_EXEC set late: new mappings are executable, older ones are not.
Probe late_personality(const std::string&) {
  void* before = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (before == MAP_FAILED) die("mmap");
  must(::personality(READ_IMPLIES_EXEC), "personality");
  return [=](Answer& answer) {
    answer.say("personality", ::personality(0xffffffff));
    unsigned long from = 0;
    char rights[8] = {};
    std::istringstream maps(read_whole_file("/proc/self/maps"));
    for (std::string line; std::getline(maps, line);) {
      if (std::sscanf(line.c_str(), "%lx-%*x %7s", &from, rights) == 2 &&
          from == reinterpret_cast<std::uintptr_t>(before))
        answer.say("rights", rights);
    }
  };
}

Probe another_user(const std::string&) {
  constexpr uid_t kNobody = 65534;
  gid_t groups[] = {kNobody, 12345};
  must(::setgroups(2, groups), "setgroups");
  must(::setresgid(kNobody, kNobody, kNobody), "setresgid");
  must(::setresuid(kNobody, kNobody, kNobody), "setresuid");
  must(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
  must(::prctl(PR_SET_NAME, "sf-nobody"), "PR_SET_NAME");
  return [](Answer& answer) {
    for (const char* key : {"Name", "Uid", "Gid", "Groups", "NoNewPrivs", "CapInh", "CapPrm",
                            "CapEff", "CapBnd", "CapAmb", "Umask"}) {
      answer.say(key, own_status(key));
    }
    answer.say("shadow",
               ::open("/etc/shadow", O_RDONLY | O_CLOEXEC) < 0 ? strerrorname_np(errno) : "open");
  };
}

Probe limits(const std::string&) {
  rlimit files{123, 456};
  must(::setrlimit(RLIMIT_NOFILE, &files), "setrlimit");
  rlimit core{0, 4096};
  must(::setrlimit(RLIMIT_CORE, &core), "setrlimit");
  must(::setpriority(PRIO_PROCESS, 0, 5), "setpriority");
  ::umask(027);
  must(::prctl(PR_SET_PDEATHSIG, SIGCONT), "PR_SET_PDEATHSIG");
  must(::prctl(PR_SET_CHILD_SUBREAPER, 1), "PR_SET_CHILD_SUBREAPER");
  write_whole_file("/proc/self/oom_score_adj", "77");
  return [](Answer& answer) {
    std::string text = read_whole_file("/proc/self/limits");
    answer.say("limits", text);
    answer.say("nice", ::getpriority(PRIO_PROCESS, 0));
    mode_t mask = ::umask(0);
    ::umask(mask);
    answer.say("umask", static_cast<long>(mask));
    int value = 0;
    must(::prctl(PR_GET_CHILD_SUBREAPER, &value), "PR_GET_CHILD_SUBREAPER");
    answer.say("subreaper", value);
    must(::prctl(PR_GET_PDEATHSIG, &value), "PR_GET_PDEATHSIG");
    answer.say("parent death signal", value);
    answer.say("oom_score_adj", read_whole_file("/proc/self/oom_score_adj"));
    answer.say("scheduler", ::sched_getscheduler(0));
  };
}

Probe family(const std::string&) {
  pid_t child = must(::fork(), "fork");
  if (child == 0) {
    ::setpgid(0, 0);
    for (;;) ::pause();
  }
  ::setpgid(child, child);
  return [child](Answer& answer) {
    answer.say("self", ::getpid());
    answer.say("parent", ::getppid());
    answer.say("session", ::getsid(0));
    answer.say("group", ::getpgid(0));
    answer.say("child", child);
    answer.say("group of the child", ::getpgid(child));
    answer.say("session of the child", ::getsid(child));
    answer.say("child lives", ::kill(child, 0));
  };
}

// Two seccomp filters, each of which refuses one system call, and an O_PATH descriptor.
Probe system_call_filters(const std::string& dir) {
  auto refuse = [](unsigned call, unsigned error) {
    sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program{4, steps};
    must(static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)), "seccomp");
  };
  must(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
  refuse(SYS_personality, 71);  // the engine also calls personality(2)
  refuse(SYS_munmap, 72);
  must(::symlink("nowhere", (dir + "/link").c_str()), "symlink");
  int location = must(::open((dir + "/link").c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC), "O_PATH");
  return [=](Answer& answer) {
    answer.say("personality", ::syscall(SYS_personality, 0xffffffffU) < 0 ? errno : 0);
    answer.say("munmap", ::syscall(SYS_munmap, 4096, 4096) < 0 ? errno : 0);
    answer.say("mode", own_status("Seccomp") + " " + own_status("Seccomp_filters"));
    char text[16] = {};
    answer.say("link", ::readlinkat(location, "", text, sizeof text - 1) > 0 ? text : "(nothing)");
  };
}

}  // namespace

std::vector<Feature> process_features() {
  return {{"zombies", zombies},
          {"signals", signals},
          {"queued-signals", queued_signals},
          {"posix-timers", posix_timers},
          {"interval-timers", interval_timers},
          {"odd-timers", odd_timers},
          {"late-personality", late_personality},
          {"another-user", another_user},
          {"limits", limits},
          {"family", family},
          {"system-call-filters", system_call_filters}};
}

}  // namespace stateful
