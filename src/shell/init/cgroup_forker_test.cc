#include "shell/init/cgroup_forker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "os/cgroup.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/pipe.h"
#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

constexpr auto kTimeout = std::chrono::seconds(20);

std::vector<pid_t> children() { return os::children_of(::getpid()); }

// Forks a process that runs `body` and exits. It is killed when the test ends.
pid_t fork_to(const std::function<void()>& body) {
  pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  body();
  ::_exit(0);
}

bool await_end(int pidfd) {
  pollfd ended{pidfd, POLLIN, 0};
  return ::poll(&ended, 1, static_cast<int>(std::chrono::milliseconds(kTimeout).count())) == 1;
}

[[noreturn]] void wait_for_ever(void*) {
  for (;;) ::pause();
}

// say_and_end() writes its own pid to `to`, then exits with `status`.
struct Word {
  int to;
  int status;
};
[[noreturn]] void say_and_end(void* what) {
  auto* word = static_cast<Word*>(what);
  pid_t self = ::getpid();
  ssize_t n = ::write(word->to, &self, sizeof self);
  ::_exit(n == sizeof self ? word->status : 1);
}

// Stops the helper right after it has forked and before it has reported the child. Writes a byte to
// `seized` when it traces the helper. Returns the child, which is stopped until the calling process
// ends. Requires: the caller is a process of its own.
pid_t catch_fork(pid_t helper, int seized) {
  if (::ptrace(PTRACE_SEIZE, helper, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK) != 0) ::_exit(2);
  if (::write(seized, "+", 1) != 1) ::_exit(3);
  int status = 0;
  if (::waitpid(helper, &status, __WALL) != helper || !WIFSTOPPED(status)) ::_exit(4);
  unsigned long child_pid = 0;
  if (status >> 16 == 0 || ::ptrace(PTRACE_GETEVENTMSG, helper, 0, &child_pid) != 0) ::_exit(5);
  if (::waitpid(static_cast<pid_t>(child_pid), &status, __WALL) < 0 || !WIFSTOPPED(status))
    ::_exit(6);
  return static_cast<pid_t>(child_pid);
}

void kill_and_reap(pid_t pid) {
  int status = 0;
  ::kill(pid, SIGKILL);
  if (::waitpid(pid, &status, __WALL) != pid) ::_exit(7);
}

class CgroupForkerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer's clone() cannot share memory";
#endif
  }
};

TEST_F(CgroupForkerTest, ChildIsPidOneOfItsNamespace) {
  ASSERT_OK_AND_ASSIGN(os::Pipe pipe, os::make_pipe());
  Word word{pipe.write_end.get(), 7};
  CgroupForker cgroup_forker({});
  ASSERT_OK_AND_ASSIGN(os::Child child, cgroup_forker.fork_child(say_and_end, &word));
  pid_t told = 0;
  ASSERT_EQ(::read(pipe.read_end.get(), &told, sizeof told), static_cast<ssize_t>(sizeof told));
  EXPECT_EQ(told, 1);
  ASSERT_OK_AND_ASSIGN(os::ExitStatus status, child.wait(Deadline::after(kTimeout)));
  EXPECT_EQ(status.code, 7);
}

TEST_F(CgroupForkerTest, ChildStartsInTheGroups) {
  os::CgroupLayout layout = os::read_cgroup_layout();
  ASSERT_OK_AND_ASSIGN(
      os::Cgroup group,
      os::Cgroup::create(layout, "cgroup_forker-" + std::to_string(::getpid()), {}));
  if (group.procs_files().empty()) GTEST_SKIP() << "no cgroups";
  {
    CgroupForker cgroup_forker(group.procs_files());
    ASSERT_OK_AND_ASSIGN(os::Child child, cgroup_forker.fork_child(wait_for_ever, nullptr));
    for (const std::string& procs : group.procs_files()) {
      ASSERT_OK_AND_ASSIGN(std::string text, os::read_file(procs));
      EXPECT_EQ(text, std::to_string(child.pid()) + "\n") << procs;
    }
  }
  EXPECT_OK(group.remove(Deadline::after(kTimeout)));
}

TEST_F(CgroupForkerTest, HelperKilledWhileIdleIsReplaced) {
  ASSERT_OK_AND_ASSIGN(os::Pipe pipe, os::make_pipe());
  Word word{pipe.write_end.get(), 0};
  CgroupForker cgroup_forker({});
  ASSERT_OK(cgroup_forker.warm_up());
  std::vector<pid_t> helpers = children();
  ASSERT_EQ(helpers.size(), 1U);
  ::kill(helpers[0], SIGKILL);
  ASSERT_OK_AND_ASSIGN(os::Child child, cgroup_forker.fork_child(say_and_end, &word));
  EXPECT_OK(child.wait(Deadline::after(kTimeout)));
  EXPECT_TRUE(children().empty());
}

TEST_F(CgroupForkerTest, ChildOfAHelperKilledRightAfterTheForkIsKnown) {
  ASSERT_OK_AND_ASSIGN(os::Pipe seized, os::make_pipe());
  ASSERT_OK_AND_ASSIGN(os::Pipe pipe, os::make_pipe());
  Word word{pipe.write_end.get(), 9};
  CgroupForker cgroup_forker({});
  ASSERT_OK(cgroup_forker.warm_up());
  pid_t helper = children().at(0);
  pid_t watcher = fork_to([&] {
    catch_fork(helper, seized.write_end.get());
    kill_and_reap(helper);
  });
  char told = 0;
  ASSERT_EQ(::read(seized.read_end.get(), &told, 1), 1);
  ASSERT_OK_AND_ASSIGN(os::Child child, cgroup_forker.fork_child(say_and_end, &word));
  int status = 0;
  ASSERT_EQ(::waitpid(watcher, &status, 0), watcher);
  ASSERT_EQ(status, 0) << "the helper was not caught";
  ASSERT_OK_AND_ASSIGN(os::ExitStatus end, child.wait(Deadline::after(kTimeout)));
  EXPECT_EQ(end.code, 9);
  EXPECT_TRUE(children().empty()) << "a child process was left";
}

TEST_F(CgroupForkerTest, ChildEndsIfItsMakerEndsBeforeItRuns) {
  ASSERT_OK_AND_ASSIGN(os::Pipe helper_of, os::make_pipe());
  ASSERT_OK_AND_ASSIGN(os::Pipe seized, os::make_pipe());
  ASSERT_OK_AND_ASSIGN(os::Pipe caught, os::make_pipe());
  ASSERT_OK_AND_ASSIGN(os::Pipe resume, os::make_pipe());
  pid_t maker = fork_to([&] {
    CgroupForker cgroup_forker({});
    if (!cgroup_forker.warm_up()) ::_exit(1);
    pid_t helper = children().at(0);
    char told = 0;
    if (::write(helper_of.write_end.get(), &helper, sizeof helper) != sizeof helper) ::_exit(1);
    if (::read(seized.read_end.get(), &told, 1) != 1) ::_exit(1);
    (void)cgroup_forker.fork_child(wait_for_ever, nullptr);
    ::pause();
  });
  pid_t helper = 0;
  ASSERT_EQ(::read(helper_of.read_end.get(), &helper, sizeof helper),
            static_cast<int>(sizeof helper));
  pid_t watcher = fork_to([&] {
    pid_t child_pid = catch_fork(helper, seized.write_end.get());
    if (::write(caught.write_end.get(), &child_pid, sizeof child_pid) != sizeof child_pid)
      ::_exit(8);
    char told = 0;
    if (::read(resume.read_end.get(), &told, 1) != 1) ::_exit(9);
  });
  pid_t child_pid = 0;
  ASSERT_EQ(::read(caught.read_end.get(), &child_pid, sizeof child_pid),
            static_cast<int>(sizeof child_pid));
  os::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child_pid, 0)));
  ASSERT_TRUE(pidfd.valid());
  ::kill(maker, SIGKILL);
  ASSERT_EQ(::waitpid(maker, nullptr, 0), maker);
  ASSERT_EQ(::write(resume.write_end.get(), "+", 1), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(watcher, &status, 0), watcher);
  ASSERT_EQ(status, 0) << "the helper was not caught";
  EXPECT_TRUE(await_end(pidfd.get()));
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

}  // namespace
}  // namespace sf::waypoint
