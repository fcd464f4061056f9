#include "engine/native/ptrace/async_threads.h"

#include <thread>

namespace sf::waypoint::native {

AsyncThreads::~AsyncThreads() {
  release();
  for (Tracee& thread : threads_) thread.abandon();
}

bool AsyncThreads::release() {
  // The Tracee's destructor releases a thread that has stopped or ended.
  threads_.remove_if([](Tracee& thread) {
    Status stopped = thread.wait_stopped(Deadline::after(milliseconds(0)));
    return stopped || stopped.error().code != ErrorCode::kTimedOut;
  });
  return !threads_.empty();
}

bool AsyncThreads::release(Deadline deadline) {
  while (release()) {
    if (deadline.passed()) return true;
    std::this_thread::sleep_for(microseconds(200));
  }
  return false;
}

}  // namespace sf::waypoint::native
