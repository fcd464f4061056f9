// StoppedTree: every thread of a branch, stopped by its tracer. The destructor resumes all of them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/blocker.h"
#include "engine/engine.h"
#include "engine/native/ptrace/async_threads.h"
#include "engine/native/ptrace/tracee.h"
#include "os/process.h"

namespace sf::waypoint::native {

class StoppedTree {
 public:
  // Stops the tree below `root`. `freezer`: the branch's cgroup v2 directory, or empty; it prevents
  // new threads meanwhile and is thawed again. kUnsupported names the thread that could not be
  // stopped. `late` receives threads that were asked to stop and have not when this object is
  // destroyed.
  static Result<StoppedTree> stop(pid_t root, const std::string& freezer, const AtPoint& at_point,
                                  AsyncThreads& late);

  StoppedTree(StoppedTree&&) noexcept = default;
  StoppedTree& operator=(StoppedTree&&) = delete;
  ~StoppedTree();

  const std::vector<pid_t>& processes() const { return processes_; }  // ended ones too
  Tracee& thread(pid_t tid) { return threads_.at(tid); }
  Status resume();
  // Restores the registers of all threads and keeps them stopped.
  Status keep_still();

 private:
  explicit StoppedTree(AsyncThreads& late) : late_(&late) {}
  // False: `waiter_` waits in vfork() for a child that has not run a program yet, and cannot stop
  // before that.
  Result<bool> hold(pid_t root, const std::string& freezer, const AtPoint& at_point);
  Result<bool> seize_new(const std::vector<os::TreeMember>& tree, std::vector<pid_t>& fresh);
  Result<bool> wait_stopped(pid_t tid, Deadline deadline);
  // Threads before their leaders, and init last: the end of a killed leader is not reported before
  // its threads have ended.
  std::vector<pid_t> in_order_of_release() const;

  AsyncThreads* late_;
  pid_t waiter_ = 0;
  std::vector<pid_t> processes_;
  std::map<pid_t, Tracee> threads_;
  std::set<pid_t> gone_;  // had already ended when they were found
};

}  // namespace sf::waypoint::native
