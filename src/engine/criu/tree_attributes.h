// TreeAttributes: attributes of a tree that CRIU does not save: I/O priority, CPU affinity and
// timer slack of threads, the coredump filter of processes, and exclusive mode (TIOCEXCL) of
// terminals. The keeper reads them while the tree is stopped, stores them next to CRIU's images,
// and sets them before the restored tree runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/json.h"

namespace sf::waypoint::criu {

inline constexpr const char* kStandingFile = "/standing.json";

struct ThreadStanding {
  pid_t tid = 0;         // in the branch
  int io_priority = 0;   // as ioprio_get(2) gives it; 0: none was set
  std::string affinity;  // as sched_getaffinity(2) gives it, in hexadecimal digits
  std::uint64_t timer_slack_ns = 0;
  bool operator==(const ThreadStanding&) const = default;
};

struct ProcessStanding {
  pid_t pid = 0;  // in the branch
  std::uint32_t core_filter = 0;
  std::vector<ThreadStanding> threads;
  bool operator==(const ProcessStanding&) const = default;
};

struct TreeAttributes {
  std::vector<ProcessStanding> processes;
  std::vector<std::string> exclusive_terminals;  // "/dev/pts/0"
  bool operator==(const TreeAttributes&) const = default;
};

wire::Json to_json(const TreeAttributes& standing);
Result<TreeAttributes> tree_attributes_from_json(const wire::Json& json);

// Reads the tree below `init`. kUnsupported: a process has an attribute that the caller has no
// privilege to set in a restored copy. Requires: the tree is stopped.
Result<TreeAttributes> read_tree_attributes(pid_t init);
// Sets the attributes that differ. Skips threads that the tree does not have.
Status apply_tree_attributes(pid_t init, const TreeAttributes& standing);

}  // namespace sf::waypoint::criu
