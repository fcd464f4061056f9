#include "waypoint/cradle.h"

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

constexpr auto kPatience = std::chrono::seconds(20);

std::vector<pid_t> children() { return os::children_of(::getpid()); }

// A process of the test's own: runs `body` and ends. It is killed with the test.
pid_t fork_to(const std::function<void()>& body) {
  pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  body();
  ::_exit(0);
}

bool await_end(int pidfd) {
  pollfd ended{pidfd, POLLIN, 0};
  return ::poll(&ended, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) == 1;
}

[[noreturn]] void wait_for_ever(void*) {
  for (;;) ::pause();
}

// Says which pid it has, then ends with a status.
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

// Holds the nurse in the moment in which its child is there and it has not said so. Runs in a
// process of its own. `seized` is told when the nurse is watched; returns the child, which does not
// run yet: it goes on when this process ends.
pid_t catch_birth(pid_t nurse, int seized) {
  if (::ptrace(PTRACE_SEIZE, nurse, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK) != 0) ::_exit(2);
  if (::write(seized, "+", 1) != 1) ::_exit(3);
  int status = 0;
  if (::waitpid(nurse, &status, __WALL) != nurse || !WIFSTOPPED(status)) ::_exit(4);
  unsigned long born = 0;
  if (status >> 16 == 0 || ::ptrace(PTRACE_GETEVENTMSG, nurse, 0, &born) != 0) ::_exit(5);
  if (::waitpid(static_cast<pid_t>(born), &status, __WALL) < 0 || !WIFSTOPPED(status)) ::_exit(6);
  return static_cast<pid_t>(born);
}

void kill_and_reap(pid_t pid) {
  int status = 0;
  ::kill(pid, SIGKILL);
  if (::waitpid(pid, &status, __WALL) != pid) ::_exit(7);
}

class CradleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer's clone() cannot share memory";
#endif
  }
};

TEST_F(CradleTest, AChildIsTheFirstProcessOfItsNamespace) {
  ASSERT_OK_AND_ASSIGN(os::Pipe pipe, os::make_pipe());
  Word word{pipe.write_end.get(), 7};
  Cradle cradle({});
  ASSERT_OK_AND_ASSIGN(os::Child child, cradle.bear(say_and_end, &word));
  pid_t told = 0;
  ASSERT_EQ(::read(pipe.read_end.get(), &told, sizeof told), static_cast<ssize_t>(sizeof told));
  EXPECT_EQ(told, 1);
  ASSERT_OK_AND_ASSIGN(os::ExitStatus status, child.wait(Deadline::after(kPatience)));
  EXPECT_EQ(status.code, 7);
}

TEST_F(CradleTest, AChildIsBornInTheGroups) {
  os::CgroupLayout layout = os::read_cgroup_layout();
  ASSERT_OK_AND_ASSIGN(os::Cgroup group,
                       os::Cgroup::create(layout, "cradle-" + std::to_string(::getpid()), {}));
  if (group.procs_files().empty()) GTEST_SKIP() << "no cgroups";
  {
    Cradle cradle(group.procs_files());
    ASSERT_OK_AND_ASSIGN(os::Child child, cradle.bear(wait_for_ever, nullptr));
    for (const std::string& procs : group.procs_files()) {
      ASSERT_OK_AND_ASSIGN(std::string text, os::read_file(procs));
      EXPECT_EQ(text, std::to_string(child.pid()) + "\n") << procs;
    }
  }
  EXPECT_OK(group.remove(Deadline::after(kPatience)));
}

TEST_F(CradleTest, ANurseThatWasKilledWhileItWaitedIsReplaced) {
  ASSERT_OK_AND_ASSIGN(os::Pipe pipe, os::make_pipe());
  Word word{pipe.write_end.get(), 0};
  Cradle cradle({});
  ASSERT_OK(cradle.warm_up());
  std::vector<pid_t> nurses = children();
  ASSERT_EQ(nurses.size(), 1U);
  ::kill(nurses[0], SIGKILL);
  ASSERT_OK_AND_ASSIGN(os::Child child, cradle.bear(say_and_end, &word));
  EXPECT_OK(child.wait(Deadline::after(kPatience)));
  EXPECT_TRUE(children().empty());
}

TEST_F(CradleTest, WhomANurseLeavesBehindThatIsKilledRightAfterTheBirthIsKnown) {
  ASSERT_OK_AND_ASSIGN(os::Pipe seized, os::make_pipe());
  ASSERT_OK_AND_ASSIGN(os::Pipe pipe, os::make_pipe());
  Word word{pipe.write_end.get(), 9};
  Cradle cradle({});
  ASSERT_OK(cradle.warm_up());
  pid_t nurse = children().at(0);
  pid_t watcher = fork_to([&] {
    catch_birth(nurse, seized.write_end.get());
    kill_and_reap(nurse);
  });
  char told = 0;
  ASSERT_EQ(::read(seized.read_end.get(), &told, 1), 1);
  ASSERT_OK_AND_ASSIGN(os::Child child, cradle.bear(say_and_end, &word));
  int status = 0;
  ASSERT_EQ(::waitpid(watcher, &status, 0), watcher);
  ASSERT_EQ(status, 0) << "the nurse was not caught";
  ASSERT_OK_AND_ASSIGN(os::ExitStatus end, child.wait(Deadline::after(kPatience)));
  EXPECT_EQ(end.code, 9);
  EXPECT_TRUE(children().empty()) << "somebody was left behind";
}

TEST_F(CradleTest, AChildWhoseMakerEndsBeforeItsFirstStepEnds) {
  ASSERT_OK_AND_ASSIGN(os::Pipe nurse_of, os::make_pipe());
  ASSERT_OK_AND_ASSIGN(os::Pipe seized, os::make_pipe());
  ASSERT_OK_AND_ASSIGN(os::Pipe caught, os::make_pipe());
  ASSERT_OK_AND_ASSIGN(os::Pipe go_on, os::make_pipe());
  pid_t maker = fork_to([&] {
    Cradle cradle({});
    if (!cradle.warm_up()) ::_exit(1);
    pid_t nurse = children().at(0);
    char told = 0;
    if (::write(nurse_of.write_end.get(), &nurse, sizeof nurse) != sizeof nurse) ::_exit(1);
    if (::read(seized.read_end.get(), &told, 1) != 1) ::_exit(1);
    (void)cradle.bear(wait_for_ever, nullptr);
    ::pause();
  });
  pid_t nurse = 0;
  ASSERT_EQ(::read(nurse_of.read_end.get(), &nurse, sizeof nurse), static_cast<int>(sizeof nurse));
  pid_t watcher = fork_to([&] {
    pid_t born = catch_birth(nurse, seized.write_end.get());
    if (::write(caught.write_end.get(), &born, sizeof born) != sizeof born) ::_exit(8);
    char told = 0;
    if (::read(go_on.read_end.get(), &told, 1) != 1) ::_exit(9);
  });
  pid_t born = 0;
  ASSERT_EQ(::read(caught.read_end.get(), &born, sizeof born), static_cast<int>(sizeof born));
  os::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, born, 0)));
  ASSERT_TRUE(pidfd.valid());
  ::kill(maker, SIGKILL);
  ASSERT_EQ(::waitpid(maker, nullptr, 0), maker);
  ASSERT_EQ(::write(go_on.write_end.get(), "+", 1), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(watcher, &status, 0), watcher);
  ASSERT_EQ(status, 0) << "the nurse was not caught";
  EXPECT_TRUE(await_end(pidfd.get()));
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

}  // namespace
}  // namespace sf::waypoint
