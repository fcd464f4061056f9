// Memory of large processes under watch: what each page's content was when it was last written
// down, and which pages were written since. After a restore such memory is not there at first: a
// thread of this object brings pages when they are touched. See docs/engine.md, Memory.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "waypoint/native/backing.h"
#include "waypoint/native/userfault.h"

namespace sf::waypoint::native {

// Of a mapping: below that, copying is cheaper than asking.
inline constexpr std::uint64_t kWorthWatching = 128U << 10U;

// One process's memory. Guarded by the lock of its Watches.
struct WatchedMemory {
  UserFault fault;
  UserFault::Purpose purpose = UserFault::Purpose::kWatch;
  Backing backing;
};

// Which process; a pid alone may be another one's by now.
struct ProcessName {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  auto operator<=>(const ProcessName&) const = default;
};

class Watches {
 public:
  // `directory`: where the names of files are that it needs.
  explicit Watches(std::string directory) : directory_(std::move(directory)) {}
  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;
  // Requires: the processes are gone, or nothing of theirs is missing.
  ~Watches();

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  // Both require the lock. Null: not watched.
  WatchedMemory* find(ProcessName name);
  void forget(ProcessName name) { watched_.erase(name); }
  // Forgets all but these. Requires the lock.
  void keep_only(const std::vector<ProcessName>& names);

  Status add(ProcessName name, WatchedMemory memory);
  const std::string& directory() const { return directory_; }
  // Waits until children that were forked too early have all their memory.
  void complete_children();
  // Likewise for all: from then on their memory is like any other.
  void end_all();

 private:
  Status start_server();
  void serve();
  // Returns whether anything had happened.
  bool serve_events(WatchedMemory& memory);
  void bring(const WatchedMemory& memory, std::uint64_t address);
  // Brings a part of what a child lacks; returns whether there is more.
  static bool complete_some(WatchedMemory& memory);
  void complete_one();

  std::string directory_;
  std::mutex mutex_;
  std::map<ProcessName, WatchedMemory> watched_;
  // Of processes that were forked before their memory was complete: it is brought without being
  // asked for, and then they are forgotten.
  std::vector<WatchedMemory> children_;
  std::thread server_;
  os::UniqueFd wake_;  // eventfd: look again
  bool ending_ = false;
};

}  // namespace sf::waypoint::native
