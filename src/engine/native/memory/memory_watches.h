// Memory of large processes under watch: what each page's content was when it was last written
// down, and which pages were written since. After a restore such memory is not there at first: a
// thread brings pages when they are touched. See docs/engine.md, Memory.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/memory/page_server.h"
#include "engine/native/memory/watched_memory.h"

namespace sf::waypoint::native {

// Of a mapping: below that, copying is cheaper than asking.
inline constexpr std::uint64_t kWorthWatching = 128U << 10U;

class MemoryWatches {
 public:
  // `directory`: where the names of files are that it needs.
  explicit MemoryWatches(std::string directory) : directory_(std::move(directory)) {}
  MemoryWatches(const MemoryWatches&) = delete;
  MemoryWatches& operator=(const MemoryWatches&) = delete;
  // Requires: the processes are gone, or nothing of theirs is missing.
  ~MemoryWatches() = default;

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  // Null: not watched. Requires the lock, also for what it returns.
  WatchedMemory* find(ProcessName name) { return table_.find(name); }
  // Forgets all but these. Requires the lock.
  void keep_only(const std::vector<ProcessName>& names);

  Status add(ProcessName name, WatchedMemory memory);
  const std::string& directory() const { return directory_; }
  // Waits until children that were forked too early have all their memory.
  void complete_children();
  // Likewise for all: from then on their memory is like any other.
  void end_all();

 private:
  std::string directory_;
  std::mutex mutex_;
  WatchedProcesses table_;
  PageServer server_{mutex_, table_};
};

}  // namespace sf::waypoint::native
