// ContextSwitchCounts: how often each thread of a tree has waited. Detects any thread that ran
// between two samples.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

namespace sf::waypoint::native {

// Pure. How often a thread has waited, from its status in /proc. Nothing: it is not waiting now.
std::optional<long> waits_in(const std::string& status);

class ContextSwitchCounts {
 public:
  // Counts of the tree below `root`. Nothing: a thread is running.
  static std::optional<ContextSwitchCounts> of(pid_t root);
  // True if no thread did more than stop since `before`. Requires: all are stopped.
  bool only_stopped_since(const ContextSwitchCounts& before) const;
  // Equal counts: the same threads, and none of them ran.
  bool operator==(const ContextSwitchCounts&) const = default;

 private:
  std::map<pid_t, long> waits_;  // by thread
};

}  // namespace sf::waypoint::native
