// PageServer: the thread that loads missing pages for as long as a process may touch them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "engine/native/memory/watched_processes.h"
#include "os/fd.h"

namespace sf::waypoint::native {

class PageServer {
 public:
  // Accesses `table` with `mutex` held.
  PageServer(std::mutex& mutex, WatchedProcesses& table) : mutex_(mutex), table_(table) {}
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();

  // Starts the thread. Further calls have no effect.
  Status start();
  // Call when the table has changed.
  void look_again() const;
  // As above; waits until the thread polls only descriptors that are still in the table: the kernel
  // keeps a polled descriptor open even after it was closed. Requires: the caller does not hold the
  // lock.
  void settle();

 private:
  void run();

  std::mutex& mutex_;
  WatchedProcesses& table_;
  std::thread thread_;
  os::UniqueFd wake_;  // eventfd
  // Guarded by `mutex_`.
  bool ending_ = false;
  std::uint64_t looks_ = 0;
  std::condition_variable looked_;
};

}  // namespace sf::waypoint::native
