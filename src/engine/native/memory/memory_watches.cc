#include "engine/native/memory/memory_watches.h"

#include "engine/native/memory/missing_pages.h"

namespace sf::waypoint::native {

void MemoryWatches::keep_only(const std::vector<ProcessName>& names) {
  if (table_.keep_only(names)) server_.look_again();
}

Status MemoryWatches::add(ProcessName name, WatchedMemory memory) {
  bool serves = memory.purpose == UserFault::Purpose::kServe;
  if (serves) SF_TRY(server_.start());
  {
    std::lock_guard guard(mutex_);
    table_.put(name, std::move(memory));
  }
  if (serves) server_.look_again();
  return Ok{};
}

void MemoryWatches::complete_children() {
  for (;;) {
    std::lock_guard guard(mutex_);
    if (table_.child() == nullptr) return;
    answer_events(table_);
    complete_some(table_);
  }
}

void MemoryWatches::end_all() {
  {
    std::lock_guard guard(mutex_);
    table_.orphan_all();
  }
  complete_children();
  server_.settle();
}

}  // namespace sf::waypoint::native
