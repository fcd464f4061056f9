// Idle children: unreaped zombies, stopped children, children in groups and sessions of their own.
// (Children that hold resources are nodes of the tree.)
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

class Child : public Resource {
 public:
  void look(Report& report) override {
    report.say("pid", pid_);
    siginfo_t info{};
    int found = ::waitid(P_PID, static_cast<id_t>(pid_), &info,
                         WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT);
    report.say_result("wait", found).say("whom", info.si_pid);
    if (info.si_pid != 0) report.say("code", info.si_code).say("status", info.si_status);
    report.say_result("group", ::getpgid(pid_)).say_result("session", ::getsid(pid_));
    std::string stat;
    std::size_t at = 0;
    do {  // a resumed child may still be running before it sleeps again
      stat = read_whole("/proc/" + std::to_string(pid_) + "/stat");
      at = stat.rfind(')');
    } while (at != std::string::npos && stat[at + 2] == 'R' && ::usleep(1000) == 0);
    report.say("state", at == std::string::npos ? "gone" : stat.substr(at + 2, 1));
    report.say("name", stat.substr(0, at));
  }
  void disturb() override {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 protected:
  // Runs in the child and sleeps for ever; the child dies with its parent.
  [[noreturn]] static void rest() {
    while (true) ::pause();
  }
  void wait_for(int what, int more = WNOWAIT) const {
    siginfo_t info{};
    must(::waitid(P_PID, static_cast<id_t>(pid_), &info, what | more), "waitid");
  }
  pid_t pid_ = 0;
};

class Ended : public Child {
 public:
  void make(Chance& chance, const std::string&) override {
    int status = chance.below(256);
    int by = chance.of({0, 0, SIGTERM, SIGKILL});
    bool own_group = chance.flip();
    pid_ = must(::fork(), "fork");
    if (pid_ == 0) {
      ::signal(SIGTERM, SIG_DFL);
      sigset_t none;
      sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      if (own_group) ::setpgid(0, 0);
      if (by == 0) ::_exit(status);
      ::kill(::getpid(), by);
      rest();
    }
    wait_for(WEXITED);
  }
};

class Stopped : public Child {
 public:
  void make(Chance& chance, const std::string&) override {
    bool own_group = chance.flip();
    bool told = chance.flip();
    pid_ = must(::fork(), "fork");
    if (pid_ == 0) {
      if (own_group) ::setpgid(0, 0);
      ::kill(::getpid(), SIGSTOP);
      rest();
    }
    wait_for(WSTOPPED, told ? 0 : WNOWAIT);
  }
};

class Resting : public Child {
 public:
  void make(Chance& chance, const std::string&) override {
    int standing = chance.below(3);
    std::string name = chance.letters(8);
    int ends[2];
    must(::pipe(ends), "pipe");
    pid_ = must(::fork(), "fork");
    if (pid_ == 0) {
      if (standing == 1) ::setpgid(0, 0);
      if (standing == 2) ::setsid();
      ::prctl(PR_SET_NAME, name.c_str());
      if (::write(ends[1], "x", 1) != 1) ::_exit(1);
      rest();
    }
    char ready = 0;
    must(::read(ends[0], &ready, 1), "read");
    ::close(ends[0]);
    ::close(ends[1]);
  }
};

// Leads a session on a terminal of its own; this process holds the master.
class TerminalLeader : public Child {
 public:
  void make(Chance& chance, const std::string&) override {
    int slave = -1;
    int master = -1;
    must(::openpty(&master, &slave, nullptr, nullptr, nullptr), "openpty");
    master_.reset(master);
    bool has_job = chance.flip();
    int ends[2];
    must(::pipe(ends), "pipe");
    pid_ = must(::fork(), "fork");
    if (pid_ == 0) {
      must(::setsid(), "setsid");
      must(::ioctl(slave, TIOCSCTTY, 0), "TIOCSCTTY");
      ::signal(SIGTTOU, SIG_IGN);
      pid_t job = has_job ? must(::fork(), "fork") : 0;
      if (has_job && job == 0) rest();
      if (has_job) must(::setpgid(job, job), "setpgid");
      if (has_job) must(::tcsetpgrp(slave, job), "tcsetpgrp");
      if (::write(ends[1], "x", 1) != 1) ::_exit(1);
      rest();
    }
    char ready = 0;
    must(::read(ends[0], &ready, 1), "read");
    for (int fd : {ends[0], ends[1], slave}) ::close(fd);
  }
  void look(Report& report) override {
    Child::look(report);
    pid_t session = 0;
    pid_t group = 0;
    report.say_result("asked", ::ioctl(master_.get(), TIOCGSID, &session)).say("leads", session);
    ::ioctl(master_.get(), TIOCGPGRP, &group);
    report.say("foreground", group);
  }

 private:
  Fd master_;
};

}  // namespace

std::vector<Kind> child_kinds() {
  return {{"ended-child", create<Ended>, false, false, Rights::kNeeds},
          {"stopped-child", create<Stopped>, false, false, Rights::kNeeds},
          {"terminal-leader", create<TerminalLeader>, false, false, Rights::kNeeds},
          {"resting-child", create<Resting>, false, false, Rights::kNeeds}};
}

}  // namespace zoo
