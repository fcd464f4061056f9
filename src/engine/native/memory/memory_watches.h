// MemoryWatches: for large processes, where each page's content was last saved and which pages
// were written since. After a restore such memory is missing at first: a thread loads pages when
// they are touched. See docs/engine.md, Memory.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/memory/page_server.h"
#include "engine/native/memory/watched_processes.h"

namespace sf::waypoint::native {

// Per mapping: below this size, copying is cheaper than watching.
inline constexpr std::uint64_t kWorthWatching = 128U << 10U;

class MemoryWatches {
 public:
  // `directory`: for names of pages files that it keeps.
  explicit MemoryWatches(std::string directory) : directory_(std::move(directory)) {}
  MemoryWatches(const MemoryWatches&) = delete;
  MemoryWatches& operator=(const MemoryWatches&) = delete;
  // Requires: the processes have ended, or none of their memory is missing.
  ~MemoryWatches() = default;

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  // Null: not watched. Requires: the caller holds the lock, also while it uses the result.
  WatchedMemory* find(ProcessName name) { return table_.find(name); }
  // Forgets all other processes. Requires: the caller holds the lock.
  void keep_only(const std::vector<ProcessName>& names);

  Status add(ProcessName name, WatchedMemory memory);
  const std::string& directory() const { return directory_; }
  // Waits until children that were forked before their memory was complete have all of it.
  void complete_children();
  // As above, for all processes; afterwards their memory is no longer watched.
  void end_all();

 private:
  std::string directory_;
  std::mutex mutex_;
  WatchedProcesses table_;
  PageServer server_{mutex_, table_};
};

}  // namespace sf::waypoint::native
