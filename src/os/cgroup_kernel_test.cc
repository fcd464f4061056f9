// Real control groups, seen from another PID namespace.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "os/cgroup.h"
#include "os/file.h"
#include "os/process.h"
#include "testing/matchers.h"

namespace sf::os {
namespace {

constexpr seconds kTimeout{20};

// A process in its own group. The destructor removes the group.
class ForeignProcess {
 public:
  explicit ForeignProcess(const CgroupLayout& layout)
      : layout_(layout), name_("test-foreign-" + std::to_string(::getpid())) {
    auto group = Cgroup::create(layout_, name_, {});
    EXPECT_OK(group);
    if (!group) return;
    auto process = spawn({.argv = {"/bin/sleep", "1000"}, .cgroup_procs = group->procs_files()});
    EXPECT_OK(process);
    if (process) process_ = std::move(*process);
  }
  ~ForeignProcess() {
    process_ = {};
    EXPECT_OK(group().remove(Deadline::after(kTimeout)));
  }
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  Cgroup group() const { return Cgroup::find(layout_, name_); }
  Child& process() { return process_; }

 private:
  CgroupLayout layout_;
  std::string name_;
  Child process_;
};

// Runs `body` as PID 1 of a new PID namespace. The parent of `body` stays outside of that
// namespace, in the same process group, and exits with the result of `body` unless a signal to the
// group kills it first. Returns the exit status of that parent. The process group is new, so such a
// signal does not reach this test.
ExitStatus run_in_pid_namespace(const std::function<int()>& body) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::setpgid(0, 0);
    if (::unshare(CLONE_NEWPID) != 0) ::_exit(101);
    const pid_t inner = ::fork();
    if (inner == 0) ::_exit(body());
    int status = 0;
    if (inner < 0 || ::waitpid(inner, &status, 0) != inner) ::_exit(102);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 103);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(parent, &status, 0), parent);
  return ExitStatus::from_wait(status);
}

int outcome(const Status& removed) {
  if (removed) return 0;
  return removed.error().code == ErrorCode::kBusy ? 1 : 2;
}

TEST(CgroupKernelTest, ProcessesOfAnotherPidNamespaceAreNotListed) {
  CgroupLayout layout = read_cgroup_layout();
  if (layout.unified.empty()) GTEST_SKIP() << "this host has no v2 hierarchy";
  layout.v1.clear();  // the v1 kernel interface does not list them at all
  layout.unified_controllers.clear();
  ForeignProcess foreign(layout);
  ASSERT_EQ(foreign.group().processes(), std::vector<pid_t>{foreign.process().pid()});
  const ExitStatus ended = run_in_pid_namespace([&] {
    auto text = read_file(foreign.group().procs_files().front());
    if (!text || *text != "0\n") return 10;  // else this test proves nothing
    return static_cast<int>(foreign.group().processes().size());
  });
  EXPECT_EQ(ended.text(), "exited 0");
}

TEST(CgroupKernelTest, AGroupOfInvisibleProcessesIsBusyWithoutCgroupKill) {
  CgroupLayout layout = read_cgroup_layout();
  if (layout.v1.empty()) GTEST_SKIP() << "this host has no v1 hierarchies";
  layout.unified.clear();  // no cgroup.kill
  layout.unified_controllers.clear();
  ForeignProcess foreign(layout);
  const ExitStatus ended = run_in_pid_namespace(
      [&] { return outcome(foreign.group().remove(Deadline::after(milliseconds(50)))); });
  EXPECT_EQ(ended.text(), "exited 1") << "kBusy: nothing in there can be signalled";
  EXPECT_TRUE(process_key(foreign.process().pid())) << "the invisible process was killed";
}

TEST(CgroupKernelTest, RemovingAGroupOfAnotherPidNamespaceSparesTheCallersProcessGroup) {
  CgroupLayout layout = read_cgroup_layout();
  if (layout.unified.empty()) GTEST_SKIP() << "this host has no v2 hierarchy";
  layout.v1.clear();
  layout.unified_controllers.clear();
  ForeignProcess foreign(layout);
  ASSERT_EQ(foreign.group().directories().size(), 1U);
  if (!exists(foreign.group().directories().front() + "/cgroup.kill"))
    GTEST_SKIP() << "this kernel has no cgroup.kill";
  const ExitStatus ended = run_in_pid_namespace(
      [&] { return outcome(foreign.group().remove(Deadline::after(kTimeout))); });
  EXPECT_EQ(ended.text(), "exited 0") << "kill(0) signalled the caller's own process group";
  ASSERT_OK_AND_ASSIGN(ExitStatus killed, foreign.process().wait(Deadline::after(kTimeout)));
  EXPECT_EQ(killed.text(), "killed by SIGKILL");
}

TEST(CgroupKernelTest, RemovingAGroupEndsItsProcesses) {
  ForeignProcess foreign(read_cgroup_layout());
  ASSERT_OK(foreign.group().remove(Deadline::after(kTimeout)));
  EXPECT_TRUE(foreign.group().directories().empty());
  ASSERT_OK_AND_ASSIGN(ExitStatus killed, foreign.process().wait(Deadline::after(kTimeout)));
  EXPECT_EQ(killed.text(), "killed by SIGKILL");
}

}  // namespace
}  // namespace sf::os
