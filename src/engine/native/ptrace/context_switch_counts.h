// ContextSwitchCounts: how often each thread of a tree has waited. Detects any thread that ran
// between two samples.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

namespace sf::waypoint::native {

// Pure. How often a thread has waited, from its status in /proc; nothing: it does not wait now.
std::optional<long> waits_in(const std::string& status);

class ContextSwitchCounts {
 public:
  // Of the tree below `root`; nothing: somebody runs.
  static std::optional<ContextSwitchCounts> of(pid_t root);
  // Whether in the meantime nobody did more than stop. Requires: all are stopped.
  bool only_stopped_since(const ContextSwitchCounts& before) const;
  // Equal counts: the same threads, and none of them ran.
  bool operator==(const ContextSwitchCounts&) const = default;

 private:
  std::map<pid_t, long> waits_;  // by thread
};

}  // namespace sf::waypoint::native
