// Attributes of a process: names, limits, priorities, directories, credentials, filters.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

constexpr int kIoOfProcess = 1;  // IOPRIO_WHO_PROCESS

class Traits : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    ::umask(static_cast<mode_t>(chance.below(0100)));
    int nice = std::max(::getpriority(PRIO_PROCESS, 0), chance.below(15));  // must not become lower
    must(::setpriority(PRIO_PROCESS, 0, nice), "setpriority");
    must(::prctl(PR_SET_NAME, chance.letters(1 + chance.below(15U)).c_str()), "PR_SET_NAME");
    if (chance.flip())
      write_whole("/proc/self/oom_score_adj", std::to_string(100 + chance.below(800)));
    if (chance.flip())
      must(::personality(chance.of({ADDR_NO_RANDOMIZE, MMAP_PAGE_ZERO, READ_IMPLIES_EXEC})),
           "personality");
    if (chance.flip()) must(::prctl(PR_SET_PDEATHSIG, SIGWINCH), "PR_SET_PDEATHSIG");
    if (chance.flip()) must(::prctl(PR_SET_TIMERSLACK, 1000 + chance.below(100'000)), "slack");
    if (chance.once_in(3)) must(::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), "PR_SET_THP_DISABLE");
    if (chance.flip())
      must(::syscall(SYS_ioprio_set, kIoOfProcess, 0, (2 << 13) | chance.below(8)), "ioprio_set");
    if (chance.flip()) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(0, &one);
      must(::sched_setaffinity(0, sizeof one, &one), "sched_setaffinity");
    }
    if (chance.flip()) write_whole("/proc/self/coredump_filter", chance.of({"0x3f", "0x1"}));
  }
  void look(Report& report) override {
    mode_t mask = ::umask(0);
    ::umask(mask);
    report.say("umask", mask).say("nice", ::getpriority(PRIO_PROCESS, 0));
    char name[16] = {};
    ::prctl(PR_GET_NAME, name);
    report.say("name", name).say("personality", ::personality(0xffffffff));
    report.say("oom", read_whole("/proc/self/oom_score_adj"));
    report.say("core", read_whole("/proc/self/coredump_filter"));
    int value = 0;
    ::prctl(PR_GET_PDEATHSIG, &value);
    report.say("death-signal", value);
    report.say("slack", ::prctl(PR_GET_TIMERSLACK))
        .say("thp", ::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
    report.say("dumpable", ::prctl(PR_GET_DUMPABLE));
    report.say("io", ::syscall(SYS_ioprio_get, kIoOfProcess, 0));
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    report.say("cpus", CPU_COUNT(&set));
    for (const char* what : {"exe", "root"}) {
      char target[256] = {};
      ::readlink((std::string("/proc/self/") + what).c_str(), target, sizeof target - 1);
      report.say(what, target);
    }
    report.say("line", hex(hash_of(read_whole("/proc/self/cmdline"))));
    report.say("environment", hex(hash_of(read_whole("/proc/self/environ"))));
  }
  void disturb() override {
    ::umask(0777);
    ::setpriority(PRIO_PROCESS, 0, 19);
    ::prctl(PR_SET_NAME, "disturbed");
    ::prctl(PR_SET_PDEATHSIG, SIGURG);
  }
};

class Limits : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    set(chance, RLIMIT_CORE, 1 << 20);
    set(chance, RLIMIT_NOFILE, 1000);
    set(chance, RLIMIT_STACK, 4 << 20);
    set(chance, RLIMIT_MSGQUEUE, 400'000);
    set(chance, RLIMIT_SIGPENDING, 500);
    set(chance, RLIMIT_CPU, 10'000);
    set(chance, RLIMIT_FSIZE, 1 << 30);
    set(chance, RLIMIT_MEMLOCK, 1 << 20);
  }
  void look(Report& report) override {
    for (int which = 0; which < RLIM_NLIMITS; ++which) {
      rlimit limit{};
      ::getrlimit(static_cast<__rlimit_resource_t>(which), &limit);
      report.say("limit", limit.rlim_cur).say("of", limit.rlim_max);
    }
  }
  void disturb() override {
    rlimit limit{};
    ::getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_cur == 0 ? 1 : 0;
    limit.rlim_max = 1;
    ::setrlimit(RLIMIT_CORE, &limit);
  }

 private:
  static void set(Chance& chance, __rlimit_resource_t which, rlim_t least) {
    if (chance.flip()) return;
    rlimit limit{};
    must(::getrlimit(which, &limit), "getrlimit");
    if (least > limit.rlim_max) return;
    rlim_t room = limit.rlim_max == RLIM_INFINITY ? least : limit.rlim_max - least;
    limit.rlim_cur = least + chance.below(std::min<rlim_t>(room, 10'000) + 1);
    if (chance.once_in(3)) limit.rlim_max = limit.rlim_cur + chance.below(2U);
    must(::setrlimit(which, &limit), "setrlimit");
  }
};

class WorkingDirectory : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    must(::mkdir(path.c_str(), 0755), path);
    std::string inner = path + "/inner";
    must(::mkdir(inner.c_str(), 0755), inner);
    must(::chdir(inner.c_str()), inner);
    int fate = chance.below(4);
    if (fate == 0) must(::rename(path.c_str(), (path + ".renamed").c_str()), path);
    if (fate == 1) must(::rmdir(inner.c_str()), inner);
  }
  void look(Report& report) override {
    char target[256] = {};
    ::readlink("/proc/self/cwd", target, sizeof target - 1);
    struct stat info {};
    report.say("cwd", target).say_result("stat", ::stat(".", &info));
    report.say("links", info.st_nlink).say("mode", info.st_mode);
  }
  void disturb() override { must(::chdir("/usr"), "chdir"); }
};

// seccomp filters that make sysinfo() fail with EXDEV, and perhaps times() with EMLINK.
class Filters : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    must(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
    install(SYS_sysinfo, EXDEV);
    if (chance.flip()) install(SYS_times, EMLINK);
    if (chance.flip()) install(SYS_sysinfo, ENOTTY);
  }
  void look(Report& report) override {
    report.say("mode", own_status("Seccomp")).say("filters", own_status("Seccomp_filters"));
    report.say_result("sysinfo", ::syscall(SYS_sysinfo, nullptr));
    report.say("times", ::syscall(SYS_times, nullptr) > 0 ? 1 : 0);
    report.say_result("getcpu", ::syscall(SYS_getcpu, nullptr, nullptr, nullptr));
    report.say("no-new", ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  }
  void disturb() override { install(SYS_getcpu, EPROTO); }

 private:
  static void install(long call, int error) {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program{4, code};
    must(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "PR_SET_SECCOMP");
  }
};

class Credentials : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    gid_t groups[] = {gid_t(5000 + chance.below(100)), gid_t(6000 + chance.below(100)), 7};
    must(::setgroups(chance.below(4U), groups), "setgroups");
    if (chance.flip()) must(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
    if (chance.flip()) must(::prctl(PR_SET_KEEPCAPS, 1), "PR_SET_KEEPCAPS");
    if (chance.once_in(3)) ::prctl(PR_CAPBSET_DROP, chance.of({CAP_CHOWN, CAP_KILL, CAP_MKNOD}));
    auto some = [&] { return static_cast<uid_t>(1000 + chance.below(5)); };
    must(::setresgid(some(), some(), some()), "setresgid");
    if (chance.flip()) must(::setresuid(some(), some(), chance.of({0U, 1003U})), "setresuid");
    set_capabilities(chance);
    // Without this only root could read the process's /proc files, even its own.
    must(::prctl(PR_SET_DUMPABLE, 1), "PR_SET_DUMPABLE");
  }
  void look(Report& report) override {
    for (const char* key :
         {"Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs"})
      report.say(key, own_status(key));
    report.say("bits", ::prctl(PR_GET_SECUREBITS)).say("dumpable", ::prctl(PR_GET_DUMPABLE));
  }
  void disturb() override {
    if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_DUMPABLE, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2] = {};
    ::syscall(SYS_capset, &header, none);
  }

 private:
  // Reduces the capabilities and keeps some of them over exec.
  static void set_capabilities(Chance& chance) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    must(::syscall(SYS_capget, &header, data), "capget");
    auto mask = static_cast<__u32>(chance.below(1ULL << 32U));
    if (chance.flip()) data[0].permitted &= mask | (1U << CAP_SETUID);
    auto bounds = static_cast<__u32>(std::stoull(own_status("CapBnd"), nullptr, 16));
    data[0].inheritable =
        data[0].permitted & bounds & static_cast<__u32>(chance.below(1ULL << 32U));
    data[0].effective = data[0].permitted & static_cast<__u32>(chance.below(1ULL << 32U));
    must(::syscall(SYS_capset, &header, data), "capset");
    for (unsigned cap = 0; cap < 32; ++cap)
      if (((data[0].inheritable >> cap) & 1U) != 0 && chance.once_in(3))
        must(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0), "PR_CAP_AMBIENT_RAISE");
  }
};

}  // namespace

std::vector<Kind> standing_kinds() {
  return {{"traits", create<Traits>, true},
          {"working-directory", create<WorkingDirectory>, true},
          {"limits", create<Limits>, true, true},
          {"filters", create<Filters>, true, true},
          {"credentials", create<Credentials>, true, true, Rights::kTakes}};
}

}  // namespace zoo
