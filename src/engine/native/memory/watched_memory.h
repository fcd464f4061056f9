// Whose memory is under watch, and what is known of it: where each page's content was last written
// down. Plain; who shares it with a server (page_server.h) guards it.
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

// Which process; a pid alone may be another one's by now.
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
  // Forgets all but these, as far as they have names. Returns whether that changed anything.
  bool keep_only(const std::vector<ProcessName>& names);
  // All whose pages are brought when they are touched.
  std::vector<WatchedMemory*> served();

  // Of processes that were forked before their memory was complete: nobody knows their names. It is
  // brought without being asked for, and then they are forgotten.
  void add_child(WatchedMemory memory) { children_.push_back(std::move(memory)); }
  // The one whose turn it is; null: none.
  WatchedMemory* child() { return children_.empty() ? nullptr : &children_.back(); }
  void forget_child() { children_.pop_back(); }
  // From now on all served ones are such children, and nobody else is watched.
  void orphan_all();

 private:
  std::map<ProcessName, WatchedMemory> watched_;
  std::vector<WatchedMemory> children_;
};

}  // namespace sf::waypoint::native
