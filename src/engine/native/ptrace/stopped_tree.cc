#include "engine/native/ptrace/stopped_tree.h"

#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>

#include "base/scope_exit.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint::native {
namespace {

constexpr auto kStopTime = std::chrono::milliseconds(500);
constexpr auto kLookTime = std::chrono::milliseconds(5);
constexpr auto kVforkTime = std::chrono::seconds(2);
constexpr auto kPause = std::chrono::microseconds(200);
constexpr auto kReleaseTime = std::chrono::milliseconds(100);
constexpr int kHastyRounds = 2;
constexpr std::size_t kFew = 4;

Error cannot_stop(pid_t pid, const Error& error) {
  bool traced = error.os_errno == EPERM;
  Blocker blocker{os::namespace_pid(pid).value_or(0), os::process_name(pid),
                  traced ? "its tracer" : "an uninterruptible wait",
                  traced
                      ? "a process under strace, gdb or ptrace cannot be captured"
                      : "it does not stop (it may wait in vfork() until its child runs a program)",
                  traced ? "end the tracer first" : "try again"};
  return refuse_capture({blocker});
}

bool has_ended(char state) { return state == 'Z' || state == 'X' || state == 0; }

// True if the thread waits in vfork() for its child, which shares its memory: until the child has
// run a program or ended, only a fatal signal reaches the thread. A thaw wakes it for a moment, so
// it may seem to run.
bool waits_for_child(pid_t tid, char state) {
  if (state != 'D' && state != 'R') return false;
  const std::string name = std::to_string(tid);
  auto text = os::read_file("/proc/" + name + "/task/" + name + "/children");
  std::istringstream children(text ? *text : "");
  for (pid_t child = 0; children >> child;)
    if (::syscall(SYS_kcmp, tid, child, KCMP_VM, 0, 0) == 0) return true;
  return false;
}

}  // namespace

Result<bool> StoppedTree::seize_new(const std::vector<os::TreeMember>& tree,
                                    std::vector<pid_t>& fresh) {
  processes_.clear();
  for (const auto& [pid, tids] : tree) {
    if (tids.empty()) gone_.insert(pid);
    if (!tids.empty()) processes_.push_back(pid);
    for (pid_t tid : tids) {
      if (threads_.contains(tid)) continue;
      char state = os::process_state(tid);
      if (has_ended(state)) {
        gone_.insert(tid);
        continue;
      }
      if (waits_for_child(tid, state)) {
        waiter_ = tid;
        return false;
      }
      auto tracee = Tracee::seize(tid);
      // A thread that has just ended fails with EPERM, like a thread that is already traced.
      if (!tracee && (tracee.error().os_errno == ESRCH || has_ended(os::process_state(tid)))) {
        gone_.insert(tid);
        continue;
      }
      if (!tracee) return cannot_stop(pid, tracee.error());
      threads_.emplace(tid, std::move(*tracee));
      fresh.push_back(tid);
    }
    if (tids.size() > 1 && threads_.contains(pid)) threads_.at(pid).leads_others();
  }
  return true;
}

Result<bool> StoppedTree::wait_stopped(pid_t tid, Deadline deadline) {
  for (;;) {
    Status stopped = threads_.at(tid).wait_stopped(Deadline::after(kLookTime));
    if (stopped) return true;
    if (stopped.error().os_errno == ESRCH) {
      threads_.erase(tid);  // it ended before it stopped
      return true;
    }
    if (stopped.error().code == ErrorCode::kTimedOut &&
        waits_for_child(tid, os::process_state(tid))) {
      waiter_ = tid;
      return false;
    }
    if (stopped.error().code != ErrorCode::kTimedOut || deadline.passed())
      return cannot_stop(tid, stopped.error());
  }
}

Result<bool> StoppedTree::hold(pid_t root, const std::string& freezer, const AtPoint& at_point) {
  bool frozen = false;
  auto freeze = [&](const char* how) {
    return !freezer.empty() && os::write_file(freezer + "/cgroup.freeze", how).ok();
  };
  ScopeExit thaw([&] {
    if (frozen) (void)freeze("0");
  });
  Deadline deadline = Deadline::after(kStopTime);
  // Repeats until there is no new thread: a stopped thread cannot fork, but a thread that has just
  // ended may have left children. A small tree is not frozen, which would wake all threads twice,
  // unless it forks faster than that.
  bool changed = true;
  for (int round = 0; changed; ++round) {
    std::vector<pid_t> fresh;
    const std::size_t gone = gone_.size();
    const std::vector<os::TreeMember> tree = os::thread_tree(root);
    if (!frozen && (round == kHastyRounds || tree.size() > kFew)) frozen = freeze("1");
    SF_TRY_ASSIGN(bool possible, seize_new(tree, fresh));
    if (!possible) return false;
    changed = !fresh.empty() || gone_.size() != gone;
    for (pid_t tid : fresh) {
      SF_TRY_ASSIGN(bool stopped, wait_stopped(tid, deadline));
      if (!stopped) return false;
    }
  }
  SF_TRY(reached(at_point, "checkpoint.native_frozen"));
  return true;
}

Result<StoppedTree> StoppedTree::stop(pid_t root, const std::string& freezer,
                                      const AtPoint& at_point, AsyncThreads& late) {
  const Error does_not = fail(ErrorCode::kTimedOut, "it does not stop");
  if (late.release(Deadline::after(kStopTime))) return cannot_stop(late.first(), does_not);
  Deadline deadline = Deadline::after(kVforkTime);
  for (;;) {
    pid_t waiter = 0;
    {
      StoppedTree tree(late);
      SF_TRY_ASSIGN(bool all, tree.hold(root, freezer, at_point));
      if (all) return tree;
      waiter = tree.waiter_;
    }
    // All threads run until the child has run its program.
    while ((late.release() || waits_for_child(waiter, os::process_state(waiter))) &&
           !deadline.passed())
      std::this_thread::sleep_for(kPause);
    if (deadline.passed()) return cannot_stop(waiter, does_not);
  }
}

StoppedTree::~StoppedTree() {
  for (pid_t tid : in_order_of_release()) {
    if (!threads_.at(tid).is_stopped()) late_->take(std::move(threads_.at(tid)));
    threads_.erase(tid);
  }
  // The next capture would find these threads still traced; most of them are about to stop.
  if (late_ != nullptr) late_->release(Deadline::after(kReleaseTime));
}

std::vector<pid_t> StoppedTree::in_order_of_release() const {
  std::vector<pid_t> tids;
  for (const auto& [tid, tracee] : threads_) tids.push_back(tid);
  std::set<pid_t> leaders(processes_.begin(), processes_.end());
  auto rank = [&](pid_t tid) {
    if (!processes_.empty() && tid == processes_.front()) return 2;
    return leaders.contains(tid) ? 1 : 0;
  };
  std::ranges::sort(tids, {}, rank);
  return tids;
}

Status StoppedTree::keep_still() {
  for (auto& [tid, tracee] : threads_) SF_TRY(tracee.give_back());
  return Ok{};
}

Status StoppedTree::resume() {
  Status all = Ok{};
  for (pid_t tid : in_order_of_release()) {
    Status gone = threads_.at(tid).resume();
    if (!gone && all) all = std::move(gone);
    threads_.erase(tid);
  }
  return all;
}

}  // namespace sf::waypoint::native
