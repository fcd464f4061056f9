#include "engine/native/ptrace/stopped_tree.h"

#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "os/file.h"
#include "os/pipe.h"
#include "os/process.h"
#include "testing/matchers.h"

namespace sf::waypoint::native {
namespace {

constexpr auto kTimeout = std::chrono::seconds(20);

// A child process that the destructor kills.
class Subject {
 public:
  explicit Subject(const std::function<void()>& body) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    body();
    ::_exit(0);
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// Memory that a subject shares with the test.
template <typename T>
T& shared() {
  void* at = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (at) T();
}

bool eventually(const std::function<bool()>& is_so) {
  for (Deadline deadline = Deadline::after(kTimeout); !deadline.passed();
       std::this_thread::sleep_for(milliseconds(1)))
    if (is_so()) return true;
  return false;
}

bool is_traced(pid_t pid) {
  auto status = os::read_file("/proc/" + std::to_string(pid) + "/status");
  return !status || status->find("TracerPid:\t0\n") == std::string::npos;
}

TEST(StoppedTreeTest, AThreadThatStopsLateIsReleased) {
  auto& may_end = shared<std::atomic<bool>>();
  auto& went_on = shared<std::atomic<int>>();
  Subject subject([&] {
    // Waits for its child where no signal reaches it. The engine cannot detect that: they share no
    // memory.
    if (::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (!may_end) std::this_thread::sleep_for(milliseconds(1));
      ::_exit(0);
    }
    for (;; ++went_on) std::this_thread::sleep_for(milliseconds(1));
  });
  ASSERT_TRUE(eventually([&] { return os::process_state(subject.pid()) == 'D'; }));
  AsyncThreads late;
  auto stopped = StoppedTree::stop(subject.pid(), "", {}, late);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(late.release());
  EXPECT_TRUE(is_traced(subject.pid()));
  auto again = StoppedTree::stop(subject.pid(), "", {}, late);
  ASSERT_FALSE(again) << "it was already asked to stop";
  may_end = true;
  EXPECT_FALSE(late.release(Deadline::after(kTimeout)));
  EXPECT_FALSE(is_traced(subject.pid()));
  EXPECT_TRUE(eventually([&] { return went_on > 5; }));
  EXPECT_OK(StoppedTree::stop(subject.pid(), "", {}, late));
}

TEST(StoppedTreeTest, AThreadThatEndsBeforeItStopsIsForgotten) {
  AsyncThreads late;
  {
    Subject subject([] {
      if (::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) != 0) return;
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) ::pause();
    });
    ASSERT_TRUE(eventually([&] { return os::process_state(subject.pid()) == 'D'; }));
    ASSERT_FALSE(StoppedTree::stop(subject.pid(), "", {}, late));
    for (pid_t pid : os::process_tree(subject.pid())) ::kill(pid, SIGKILL);
    EXPECT_FALSE(late.release(Deadline::after(kTimeout)));
  }
}

struct Counts {
  std::atomic<int> sent = 0;
  std::atomic<int> seen = 0;
};
Counts* counts = nullptr;  // a signal handler gets no argument

TEST(StoppedTreeTest, NoSignalIsLostWhileAThreadIsAskedToStop) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer itself makes one of several signals";
#endif
  counts = &shared<Counts>();
  Subject subject([] {
    struct sigaction action {};
    action.sa_handler = [](int) { counts->seen += 1; };
    ::sigaction(SIGRTMIN, &action, nullptr);
    pid_t receiver = ::getpid();
    if (::fork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) {
        if (counts->sent - counts->seen < 50 && ::sigqueue(receiver, SIGRTMIN, sigval{}) == 0)
          counts->sent += 1;
      }
    }
    for (;;) ::pause();
  });
  ASSERT_TRUE(eventually([&] { return counts->seen > 100; }));
  AsyncThreads late;
  for (int i = 0; i < 300; ++i) ASSERT_OK(StoppedTree::stop(subject.pid(), "", {}, late));
  for (pid_t sender : os::children_of(subject.pid())) ::kill(sender, SIGKILL);
  // The sender may have been killed before it counted its last one.
  EXPECT_TRUE(eventually([&] { return counts->seen >= counts->sent; }))
      << counts->sent << " were sent, " << counts->seen << " were seen";
}

}  // namespace
}  // namespace sf::waypoint::native
