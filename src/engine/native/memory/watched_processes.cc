#include "engine/native/memory/watched_processes.h"

#include <algorithm>

namespace sf::waypoint::native {

void WatchedProcesses::put(ProcessName name, WatchedMemory memory) {
  watched_.insert_or_assign(name, std::move(memory));
}

WatchedMemory* WatchedProcesses::find(ProcessName name) {
  auto found = watched_.find(name);
  return found == watched_.end() ? nullptr : &found->second;
}

bool WatchedProcesses::keep_only(const std::vector<ProcessName>& names) {
  return std::erase_if(watched_, [&](const auto& each) {
           return std::ranges::find(names, each.first) == names.end();
         }) > 0;
}

std::vector<WatchedMemory*> WatchedProcesses::served() {
  std::vector<WatchedMemory*> all;
  for (auto& [name, memory] : watched_)
    if (memory.purpose == UserFault::Purpose::kServe) all.push_back(&memory);
  for (WatchedMemory& child : children_) all.push_back(&child);
  return all;
}

void WatchedProcesses::orphan_all() {
  for (auto& [name, memory] : watched_)
    if (memory.purpose == UserFault::Purpose::kServe) children_.push_back(std::move(memory));
  watched_.clear();
}

}  // namespace sf::waypoint::native
