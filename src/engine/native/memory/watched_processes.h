// WatchedProcesses: the processes with watched memory, and where each page's content was last
// saved. Plain data: if it is shared with a server (page_server.h), its owner guards it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

#include "engine/native/memory/backing.h"
#include "engine/native/memory/userfault.h"

namespace sf::waypoint::native {

// One process's memory.
struct WatchedMemory {
  UserFault fault;
  UserFault::Purpose purpose = UserFault::Purpose::kWatch;
  Backing backing;
};

// Identifies a process; a pid alone may have been reused.
struct ProcessName {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  auto operator<=>(const ProcessName&) const = default;
};

class WatchedProcesses {
 public:
  void put(ProcessName name, WatchedMemory memory);
  // Null: not watched.
  WatchedMemory* find(ProcessName name);
  // Forgets all other processes that have names. Returns true if there were any.
  bool keep_only(const std::vector<ProcessName>& names);
  // All processes with pages that are loaded on demand.
  std::vector<WatchedMemory*> served();

  // Children that were forked before their memory was complete; their names are unknown. Their
  // memory is loaded without waiting for faults. Then they are forgotten.
  void add_child(WatchedMemory memory) { children_.push_back(std::move(memory)); }
  // The child to complete next. Null: none.
  WatchedMemory* child() { return children_.empty() ? nullptr : &children_.back(); }
  void forget_child() { children_.pop_back(); }
  // Makes all served processes such children, and forgets all others.
  void orphan_all();

 private:
  std::map<ProcessName, WatchedMemory> watched_;
  std::vector<WatchedMemory> children_;
};

}  // namespace sf::waypoint::native
