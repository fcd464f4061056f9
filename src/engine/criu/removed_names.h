// What processes hold although its name was removed. CRIU makes such a file or directory again
// under its old name for a moment of the restore. If a directory has the name of a removed
// directory, CRIU removes that one; if a file stands in the way, every restore fails. So such a
// tree is declined.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "engine/blocker.h"

namespace sf::waypoint::criu {

struct RemovedName {
  pid_t pid = 0;  // in the branch
  std::string process;
  std::string holder;  // "working directory", "descriptor 7", "program", "mapped file"
  std::string path;    // that it had
  bool is_directory = false;
  enum class Location {
    kFree,
    kTaken,    // something else has the name
    kBlocked,  // a directory above it is none any more
  };
  Location location = Location::kFree;
};

// Pure: those that CRIU could not bring back.
std::vector<Blocker> find_replaced(const std::vector<RemovedName>& names);

// Reads the tree below `root`. Requires: it stands still.
std::vector<RemovedName> read_removed_names(pid_t root);

}  // namespace sf::waypoint::criu
