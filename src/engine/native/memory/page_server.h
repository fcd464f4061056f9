// The thread that brings missing pages, for as long as anybody may touch them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "engine/native/memory/watched_memory.h"
#include "os/fd.h"

namespace sf::waypoint::native {

class PageServer {
 public:
  // `table` is touched with `mutex` held.
  PageServer(std::mutex& mutex, WatchedProcesses& table) : mutex_(mutex), table_(table) {}
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();

  // Once; further calls change nothing.
  Status start();
  // The table has changed.
  void look_again() const;
  // Likewise; waits until the thread holds nothing that is not in the table any more: the kernel
  // keeps a descriptor that is waited on, whoever has closed it. Requires: the lock is not held.
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
