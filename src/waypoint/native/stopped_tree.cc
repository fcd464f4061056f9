#include "waypoint/native/stopped_tree.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/scope_exit.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint::native {
namespace {

constexpr auto kStopTime = std::chrono::milliseconds(500);

Error cannot_stop(pid_t pid, const Error& error) {
  bool traced = error.os_errno == EPERM;
  Blocker blocker{os::namespace_pid(pid).value_or(0), os::process_name(pid),
                  traced ? "its tracer" : "what it waits for",
                  traced
                      ? "a process under strace, gdb or ptrace cannot be captured"
                      : "it does not stop (it may wait for a child that has yet to run a program)",
                  traced ? "end the tracer first" : "try again"};
  return refuse_capture({blocker});
}

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> all;
  if (auto names = os::list_directory("/proc/" + std::to_string(pid) + "/task"))
    for (const std::string& name : *names) all.push_back(std::atoi(name.c_str()));
  return all;
}

}  // namespace

Status StoppedTree::seize_new(pid_t root, bool& found, std::vector<pid_t>& fresh) {
  found = false;
  processes_ = os::process_tree(root);
  for (pid_t pid : processes_) {
    for (pid_t tid : threads_of(pid)) {
      if (threads_.contains(tid)) continue;
      char state = os::process_state(tid);
      if (state == 'Z' || state == 'X' || state == 0) continue;
      auto tracee = Tracee::seize(tid);
      if (!tracee && tracee.error().os_errno == ESRCH) continue;
      if (!tracee) return cannot_stop(pid, tracee.error());
      threads_.emplace(tid, std::move(*tracee));
      fresh.push_back(tid);
      found = true;
    }
  }
  return Ok{};
}

Result<StoppedTree> StoppedTree::stop(pid_t root, const std::string& freezer,
                                      const AtPoint& at_point) {
  StoppedTree tree;
  bool frozen = !freezer.empty() && os::write_file(freezer + "/cgroup.freeze", "1").ok();
  ScopeExit thaw([&] {
    if (frozen) (void)os::write_file(freezer + "/cgroup.freeze", "0");
  });
  Deadline deadline = Deadline::after(kStopTime);
  // Once more until nobody new is found: who is stopped has no children any more.
  for (bool found = true; found;) {
    std::vector<pid_t> fresh;
    SF_TRY(tree.seize_new(root, found, fresh));
    for (pid_t tid : fresh) {
      Status stopped = tree.threads_.at(tid).wait_stopped(deadline);
      if (!stopped && stopped.error().os_errno == ESRCH) {
        tree.threads_.erase(tid);  // it ended before it stopped
        continue;
      }
      if (!stopped) return cannot_stop(tid, stopped.error());
    }
  }
  SF_TRY(reached(at_point, "checkpoint.native_frozen"));
  return tree;
}

StoppedTree::~StoppedTree() {
  for (pid_t tid : leaders_last()) threads_.erase(tid);
}

std::vector<pid_t> StoppedTree::leaders_last() const {
  std::vector<pid_t> tids;
  for (const auto& [tid, tracee] : threads_) tids.push_back(tid);
  std::set<pid_t> leaders(processes_.begin(), processes_.end());
  std::ranges::partition(tids, [&](pid_t tid) { return !leaders.contains(tid); });
  return tids;
}

Status StoppedTree::let_go() {
  Status all = Ok{};
  for (pid_t tid : leaders_last()) {
    Status gone = threads_.at(tid).let_go();
    if (!gone && all) all = std::move(gone);
    threads_.erase(tid);
  }
  return all;
}

}  // namespace sf::waypoint::native
