// Threads that were asked to stop and have not done so yet: they wait for something that no signal
// reaches (state D). They would stop later, for ever, so they are looked after until then.
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
  // Requires: the calling thread ends soon, and its end lets go of what is left.
  ~AsyncThreads();

  void take(Tracee thread) { threads_.push_back(std::move(thread)); }
  // Lets go of those that have stopped by now. Returns whether there are others.
  bool release();
  // Likewise, until there are none or it is time.
  bool release(Deadline deadline);
  // Requires: there are some.
  pid_t first() const { return threads_.front().tid(); }

 private:
  std::list<Tracee> threads_;
};

}  // namespace sf::waypoint::native
