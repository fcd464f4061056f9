// Threads that wait in system calls of every kind, with their own masks, names and stacks. look()
// wakes the thread, which reports its own state and waits again.
#include <pthread.h>
#include <signal.h>  // NOLINT: sigset functions are POSIX
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "looking.h"
#include "resource.h"
#include "waits.h"

namespace zoo {
namespace {

class Thread : public Resource {
 public:
  // The thread runs until the process exits.
  void make(Chance& chance, const std::string& path) override {
    state_ = new State;  // never freed, because the thread keeps using it
    state_->wait = choose_wait(chance);
    state_->wait->make(chance, path);
    state_->answer = must(::eventfd(0, EFD_CLOEXEC), "eventfd");
    state_->name = chance.letters(1 + chance.below(15U));
    state_->has_stack = chance.flip();
    state_->blocks = chance.flip();
    state_->slack = 1000 + chance.below(100'000);
    state_->nice = chance.below(5);
    pthread_t thread{};
    if (::pthread_create(&thread, nullptr, &Thread::run, state_) != 0) die("pthread_create");
    await_answer();
    wait_until_it_waits();
  }
  void look(Report& report) override {
    if (state_->wait->is_sleep()) {  // a sleep is not woken
      report.say("tid", state_->tid.load()).say("woken", state_->woken.load());
      return;
    }
    state_->wait->wake(state_->tid);
    report.say("thread", await_answer() ? state_->seen : "silent");
    wait_until_it_waits();
  }
  void disturb() override {
    state_->is_disturbed = true;
    state_->woken += 1000;
  }

 private:
  struct State {
    std::unique_ptr<Wait> wait;
    int answer = -1;
    std::string name;
    bool has_stack = false;
    bool blocks = false;
    int slack = 0;
    int nice = 0;
    std::atomic<int> tid = 0;
    std::atomic<int> woken = 0;
    std::atomic<bool> is_disturbed = false;
    std::string seen;  // written before `answer` is signalled, read after it
    std::vector<char> stack = std::vector<char>(32768);
  };

  bool await_answer() {
    std::uint64_t one = 0;
    return readable(state_->answer) && ::read(state_->answer, &one, sizeof one) > 0;
  }

  // Makes it likely that a following snapshot finds the thread in its system call.
  void wait_until_it_waits() {
    std::string path = "/proc/self/task/" + std::to_string(state_->tid) + "/stat";
    for (int i = 0; i < 100; ++i) {
      std::string text = read_whole(path);
      if (std::size_t at = text.rfind(')'); at + 2 < text.size() && text[at + 2] == 'S') return;
      ::usleep(1000);
    }
  }

  static void* run(void* location) {
    auto& state = *static_cast<State*>(location);
    state.tid = ::gettid();
    must(::prctl(PR_SET_NAME, state.name.c_str()), "PR_SET_NAME");
    must(::prctl(PR_SET_TIMERSLACK, state.slack), "PR_SET_TIMERSLACK");
    int nice = std::max(::getpriority(PRIO_PROCESS, 0), state.nice);
    must(::setpriority(PRIO_PROCESS, 0, nice), "setpriority");  // applies to this thread only
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
      std::string result = state.wait->wait();
      ++state.woken;
      if (state.wait->is_sleep()) continue;
      state.seen = result + "," + describe(state);
      must(::write(state.answer, &one, sizeof one), "write");
    }
  }

  static std::string describe(State& state) {
    Report report;
    report.say("tid", ::gettid()).say("nice", ::getpriority(PRIO_PROCESS, 0));
    char name[16] = {};
    ::prctl(PR_GET_NAME, name);
    report.say("name", name).say_result("slack", ::prctl(PR_GET_TIMERSLACK));
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    for (int number : {SIGTERM, SIGUSR1, SIGRTMIN + 7})
      report.say("mask", sigismember(&mask, number));
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

  State* state_ = nullptr;
};

}  // namespace

std::vector<Kind> thread_kinds() { return {{"thread", create<Thread>}}; }

}  // namespace zoo
