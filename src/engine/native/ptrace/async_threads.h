// AsyncThreads: threads that were asked to stop and have not stopped yet, since no signal reaches
// them in their present wait (state D). They would stop later and stay stopped, so they are kept
// here until they can be released.
#pragma once

#include <list>

#include "base/clock.h"
#include "engine/native/ptrace/tracee.h"

namespace sf::waypoint::native {

class AsyncThreads {
 public:
  AsyncThreads() = default;
  AsyncThreads(const AsyncThreads&) = delete;
  AsyncThreads& operator=(const AsyncThreads&) = delete;
  // Requires: the calling thread ends soon, and its end releases the remaining threads.
  ~AsyncThreads();

  void take(Tracee thread) { threads_.push_back(std::move(thread)); }
  // Releases the threads that have stopped by now. Returns true if others remain.
  bool release();
  // As above, until no thread remains or the deadline has passed.
  bool release(Deadline deadline);
  // Requires: at least one thread remains.
  pid_t first() const { return threads_.front().tid(); }

 private:
  std::list<Tracee> threads_;
};

}  // namespace sf::waypoint::native
