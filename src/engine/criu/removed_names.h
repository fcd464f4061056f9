// Files and directories that processes hold after their names were removed. During a restore, CRIU
// creates them again under their old names for a moment. If a new directory has the name of a
// removed one, CRIU removes the new one. If a file blocks the path, every restore fails. Such trees
// are declined.
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
  std::string path;    // its former path
  bool is_directory = false;
  enum class Location {
    kFree,
    kTaken,    // something else has the name
    kBlocked,  // a directory above it is no longer a directory
  };
  Location location = Location::kFree;
};

// Pure. Blockers for the names that CRIU could not restore.
std::vector<Blocker> find_replaced(const std::vector<RemovedName>& names);

// Reads the tree below `root`. Requires: the tree is stopped.
std::vector<RemovedName> read_removed_names(pid_t root);

}  // namespace sf::waypoint::criu
