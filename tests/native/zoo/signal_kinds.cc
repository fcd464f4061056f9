// Signals: actions, masks and pending signals.
#include <signal.h>  // NOLINT: sigset functions are POSIX
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

std::string members(const sigset_t& set) {
  std::string text;
  for (int number = 1; number < 65; ++number)
    if (sigismember(&set, number) == 1) text += std::to_string(number) + ",";
  return text;
}

// Recorded by the handler: its stack position and the number of calls.
volatile sig_atomic_t handled = 0;
const char* volatile handled_at = nullptr;

void on_signal(int) {
  char here = 0;
  handled_at = &here;
  handled = handled + 1;
}

void on_signal_with_more(int, siginfo_t*, void*) { on_signal(0); }

class Handlers : public Resource {
 public:
  // A child that does not inherit this must not run handlers on the freed stack.
  ~Handlers() override {
    if (!stack_.empty()) leave_stack();
  }
  void make(Chance& chance, const std::string&) override {
    if (chance.flip()) {
      stack_.resize(65536);
      stack_t stack{};
      stack.ss_sp = stack_.data();
      stack.ss_size = stack_.size();
      must(::sigaltstack(&stack, nullptr), "sigaltstack");
    }
    for (int number : {SIGUSR1, SIGHUP, SIGWINCH, SIGPIPE, SIGRTMIN + 9, SIGQUIT}) {
      struct sigaction action {};
      switch (chance.below(4)) {
        case 0:
          action.sa_handler = SIG_IGN;
          break;
        case 1:
          action.sa_handler = SIG_DFL;
          break;
        case 2:
          action.sa_sigaction = on_signal_with_more;
          action.sa_flags = SA_SIGINFO;
          break;
        default:
          action.sa_handler = on_signal;
      }
      if (number == SIGUSR1) action.sa_handler = on_signal;
      action.sa_flags |= chance.of({0, SA_RESTART}) | chance.of({0, SA_ONSTACK}) |
                         chance.of({0, 0, SA_NODEFER}) | (number == SIGUSR1 ? SA_ONSTACK : 0);
      sigemptyset(&action.sa_mask);
      if (chance.flip()) sigaddset(&action.sa_mask, SIGTERM);
      if (chance.flip()) sigaddset(&action.sa_mask, SIGRTMIN + 2);
      must(::sigaction(number, &action, nullptr), "sigaction");
    }
  }
  void look(Report& report) override {
    for (int number : {SIGUSR1, SIGHUP, SIGWINCH, SIGPIPE, SIGRTMIN + 9, SIGQUIT, SIGTERM}) {
      struct sigaction action {};
      must(::sigaction(number, nullptr, &action), "sigaction");
      report.say("action", number);
      report.say("does", hex(reinterpret_cast<std::uintptr_t>(action.sa_handler)));
      report.say("flags", action.sa_flags).say("mask", members(action.sa_mask));
    }
    stack_t stack{};
    must(::sigaltstack(nullptr, &stack), "sigaltstack");
    report.say("stack", hex(reinterpret_cast<std::uintptr_t>(stack.ss_sp)));
    report.say("size", stack.ss_size).say("state", stack.ss_flags);
    if (is_disturbed_) return;
    sig_atomic_t before = handled;
    ::raise(SIGUSR1);
    report.say("ran", handled - before);
    bool inside = handled_at >= stack_.data() && handled_at < stack_.data() + stack_.size();
    report.say("on-own-stack", inside ? 1 : 0);
  }
  void disturb() override {
    is_disturbed_ = true;
    for (int number : {SIGUSR1, SIGHUP, SIGWINCH, SIGPIPE, SIGRTMIN + 9, SIGQUIT, SIGTERM})
      ::signal(number, SIG_IGN);
    leave_stack();
  }

 private:
  static void leave_stack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  std::vector<char> stack_;
  bool is_disturbed_ = false;
};

// Blocked signals, pending with values. look() takes them in order and sends them again.
class WaitingSignals : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    sigemptyset(&blocked_);
    for (int i = 1; i <= 4; ++i) sigaddset(&blocked_, SIGRTMIN + i);
    sigaddset(&blocked_, SIGIO);
    if (chance.flip()) sigaddset(&blocked_, SIGTERM);
    must(::sigprocmask(SIG_BLOCK, &blocked_, nullptr), "sigprocmask");
    for (int i = chance.below(8); i > 0; --i) {
      sigval value{.sival_int = chance.below(100'000)};
      must(::sigqueue(::getpid(), SIGRTMIN + 1 + chance.below(3), value), "sigqueue");
    }
    if (chance.flip()) must(::kill(::getpid(), SIGIO), "kill");
    for (int i = chance.below(4); i > 0; --i) send_to_thread(SIGRTMIN + 4, chance.below(1000));
  }
  void look(Report& report) override {
    sigset_t mask;
    must(::sigprocmask(SIG_BLOCK, nullptr, &mask), "sigprocmask");
    report.say("mask", members(mask));
    report.say("shared", own_status("ShdPnd")).say("private", own_status("SigPnd"));
    std::vector<siginfo_t> taken;
    timespec now{};
    siginfo_t info{};
    while (::sigtimedwait(&blocked_, &info, &now) > 0) {
      taken.push_back(info);
      report.say("signal", info.si_signo).say("code", info.si_code).say("from", info.si_pid);
      report.say("value", info.si_value.sival_int);
    }
    for (siginfo_t& one : taken) {
      if (one.si_signo == SIGRTMIN + 4)
        send_to_thread(one.si_signo, one.si_value.sival_int);
      else if (one.si_code == SI_USER)
        ::kill(::getpid(), one.si_signo);
      else
        ::sigqueue(::getpid(), one.si_signo, one.si_value);
    }
  }
  void disturb() override {
    ::sigqueue(::getpid(), SIGRTMIN + 3, sigval{.sival_int = 1});
    sigset_t more;
    sigemptyset(&more);
    sigaddset(&more, SIGTTOU);
    ::sigprocmask(SIG_BLOCK, &more, nullptr);
  }

 private:
  static void send_to_thread(int number, int value) {
    siginfo_t info{};
    info.si_signo = number;
    info.si_code = SI_QUEUE;
    info.si_pid = ::getpid();
    info.si_uid = ::getuid();
    info.si_value.sival_int = value;
    must(::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::gettid(), number, &info), "to a thread");
  }
  sigset_t blocked_{};
};

}  // namespace

std::vector<Kind> signal_kinds() {
  return {{"handlers", create<Handlers>, true}, {"waiting-signals", create<WaitingSignals>, true}};
}

}  // namespace zoo
