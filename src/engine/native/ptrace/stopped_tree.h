// StoppedTree: every thread of a branch, held by its tracer. All of them go on with this object.
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
  // Stops the tree below `root`. `freezer`: the branch's group in the v2 hierarchy, or empty; it
  // keeps new threads from being born meanwhile and is left thawed. kUnsupported names what could
  // not be stopped. `late` gets who was asked to stop and has not done so when this object ends.
  static Result<StoppedTree> stop(pid_t root, const std::string& freezer, const AtPoint& at_point,
                                  AsyncThreads& late);

  StoppedTree(StoppedTree&&) noexcept = default;
  StoppedTree& operator=(StoppedTree&&) = delete;
  ~StoppedTree();

  const std::vector<pid_t>& processes() const { return processes_; }  // ended ones too
  Tracee& thread(pid_t tid) { return threads_.at(tid); }
  Status resume();
  // Gives all their own registers back, and keeps them stopped.
  Status keep_still();

 private:
  explicit StoppedTree(AsyncThreads& late) : late_(&late) {}
  // False: `waiter_` waits for a child that has yet to run a program (vfork), and cannot stop
  // before that.
  Result<bool> hold(pid_t root, const std::string& freezer, const AtPoint& at_point);
  Result<bool> seize_new(const std::vector<os::TreeMember>& tree, std::vector<pid_t>& fresh);
  Result<bool> wait_stopped(pid_t tid, Deadline deadline);
  // Threads before their leaders, and init last: one that was killed is not seen to end before they
  // are.
  std::vector<pid_t> in_order_of_release() const;

  AsyncThreads* late_;
  pid_t waiter_ = 0;
  std::vector<pid_t> processes_;
  std::map<pid_t, Tracee> threads_;
  std::set<pid_t> gone_;  // had ended when they were met
};

}  // namespace sf::waypoint::native
