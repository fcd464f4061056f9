// Threads that wait in system calls of every kind, with masks, names and stacks of their own. To
// look at one is to wake it: it says what it sees, and waits again.
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>  // NOLINT: sigset functions are POSIX
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

enum class Wait { kRead, kPoll, kPollForLong, kSet, kFutex, kFutexForLong, kSleep, kSignal };

class Thread : public Resource {
 public:
  // Nobody ends it: the process does.
  void make(Chance& chance, const std::string&) override {
    how_ = chance.of({Wait::kRead, Wait::kPoll, Wait::kPollForLong, Wait::kSet, Wait::kFutex,
                      Wait::kFutexForLong, Wait::kSleep, Wait::kSignal});
    state_ = new State;  // outlives this object: the thread goes on
    state_->call = must(::eventfd(0, EFD_CLOEXEC), "eventfd");
    state_->answer = must(::eventfd(0, EFD_CLOEXEC), "eventfd");
    state_->how = how_;
    state_->name = chance.letters(1 + chance.below(15U));
    state_->has_stack = chance.flip();
    state_->blocks = chance.flip();
    state_->slack = 1000 + chance.below(100'000);
    pthread_t thread{};
    if (::pthread_create(&thread, nullptr, &Thread::run, state_) != 0) die("pthread_create");
    if (!readable(state_->answer)) die("a thread that does not begin");
    std::uint64_t one = 0;
    must(::read(state_->answer, &one, sizeof one), "read");
  }
  void look(Report& report) override {
    state_->seen.clear();
    if (how_ == Wait::kSleep) {  // its time has not come
      report.say("tid", state_->tid.load()).say("woken", state_->woken.load());
      return;
    }
    wake();
    std::uint64_t one = 0;
    if (!readable(state_->answer) || ::read(state_->answer, &one, sizeof one) < 0) {
      report.say("thread", "silent");
      return;
    }
    report.say("thread", state_->seen);
    wait_until_it_waits();
  }
  void disturb() override {
    state_->is_disturbed = true;
    state_->woken += 1000;
  }

 private:
  struct State {
    int call = -1;
    int answer = -1;
    Wait how{};
    std::string name;
    bool has_stack = false;
    bool blocks = false;
    int slack = 0;
    std::atomic<int> tid = 0;
    std::atomic<int> word = 0;
    std::atomic<int> woken = 0;
    std::atomic<bool> is_disturbed = false;
    std::string seen;  // written before, and read after, the answer
    std::vector<char> stack = std::vector<char>(32768);
  };

  void wake() {
    std::uint64_t one = 1;
    if (how_ == Wait::kFutex || how_ == Wait::kFutexForLong) {
      ++state_->word;
      ::syscall(SYS_futex, &state_->word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    } else if (how_ == Wait::kSignal) {
      must(::syscall(SYS_tgkill, ::getpid(), state_->tid.load(), SIGRTMIN + 7), "tgkill");
    } else {
      must(::write(state_->call, &one, sizeof one), "write");
    }
  }

  // So that a snapshot right after finds it in its call, more often than not.
  void wait_until_it_waits() {
    std::string path = "/proc/self/task/" + std::to_string(state_->tid) + "/stat";
    for (int i = 0; i < 100; ++i) {
      std::string text = read_whole(path);
      if (std::size_t at = text.rfind(')'); at + 2 < text.size() && text[at + 2] == 'S') return;
      ::usleep(1000);
    }
  }

  static void* run(void* place) {
    auto& state = *static_cast<State*>(place);
    state.tid = ::gettid();
    must(::prctl(PR_SET_NAME, state.name.c_str()), "PR_SET_NAME");
    must(::prctl(PR_SET_TIMERSLACK, state.slack), "PR_SET_TIMERSLACK");
    sigset_t mask;
    sigfillset(&mask);
    if (!state.blocks) sigdelset(&mask, SIGTERM);
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    if (state.has_stack) {
      stack_t stack{};
      stack.ss_sp = state.stack.data();
      stack.ss_size = state.stack.size();
      must(::sigaltstack(&stack, nullptr), "sigaltstack");
    }
    std::uint64_t one = 1;
    must(::write(state.answer, &one, sizeof one), "write");
    while (true) {
      int word = state.word;
      std::string result = wait(state, word);
      ++state.woken;
      if (state.how == Wait::kSleep) continue;
      state.seen = result + "," + describe(state);
      must(::write(state.answer, &one, sizeof one), "write");
    }
  }

  static std::string wait(State& state, int word) {
    std::uint64_t got = 0;
    std::string text;
    timespec long_time{200'000, 0};
    switch (state.how) {
      case Wait::kPoll:
      case Wait::kPollForLong: {
        pollfd wanted{state.call, POLLIN, 0};
        long n = state.how == Wait::kPoll ? ::poll(&wanted, 1, -1)
                                          : ::ppoll(&wanted, 1, &long_time, nullptr);
        text = "poll" + std::to_string(n);
        break;
      }
      case Wait::kSet: {
        Fd set(must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"));
        epoll_event event{EPOLLIN, {.u64 = 9}};
        must(::epoll_ctl(set.get(), EPOLL_CTL_ADD, state.call, &event), "EPOLL_CTL_ADD");
        // EINTR is what the kernel itself gives to a stopped process.
        int n = -1;
        do {
          n = ::epoll_wait(set.get(), &event, 1, -1);
        } while (n < 0 && errno == EINTR);
        text = "set" + std::to_string(n);
        break;
      }
      case Wait::kFutex:
      case Wait::kFutexForLong: {
        const timespec* patience = state.how == Wait::kFutex ? nullptr : &long_time;
        long n = 0;
        do {
          n = ::syscall(SYS_futex, &state.word, FUTEX_WAIT_PRIVATE, word, patience, nullptr, 0);
        } while (n < 0 && errno == EINTR && state.word == word);
        bool is_woken = n == 0 || errno == EAGAIN;
        return is_woken ? "futex" : std::string("futex:") + ::strerrorname_np(errno);
      }
      case Wait::kSignal: {
        sigset_t wanted;
        sigemptyset(&wanted);
        sigaddset(&wanted, SIGRTMIN + 7);
        siginfo_t info{};
        int number = 0;
        do {
          number = ::sigwaitinfo(&wanted, &info);
        } while (number < 0 && errno == EINTR);
        return "signal" + std::to_string(number - SIGRTMIN);
      }
      case Wait::kSleep: {
        timespec rest = long_time;
        while (::nanosleep(&rest, &rest) != 0 && errno == EINTR) {
        }
        return "slept";
      }
      default:
        break;
    }
    ssize_t n = ::read(state.call, &got, sizeof got);
    return text + "read" + std::to_string(n) + ":" + std::to_string(got);
  }

  static std::string describe(State& state) {
    Report report;
    report.say("tid", ::gettid());
    char name[16] = {};
    ::prctl(PR_GET_NAME, name);
    report.say("name", name).say_result("slack", ::prctl(PR_GET_TIMERSLACK));
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    report.say("term", sigismember(&mask, SIGTERM)).say("usr1", sigismember(&mask, SIGUSR1));
    stack_t stack{};
    ::sigaltstack(nullptr, &stack);
    report.say("stack", hex(reinterpret_cast<std::uintptr_t>(stack.ss_sp)));
    report.say("own", state.has_stack ? 1 : 0);
    void* head = nullptr;
    std::size_t size = 0;
    ::syscall(SYS_get_robust_list, 0, &head, &size);
    report.say("robust", hex(reinterpret_cast<std::uintptr_t>(head)));
    if (state.is_disturbed) report.say("disturbed", 1);
    return report.text();
  }

  Wait how_{};
  State* state_ = nullptr;
};

}  // namespace

std::vector<Kind> thread_kinds() { return {{"thread", create<Thread>}}; }

}  // namespace zoo
