// The programs Waypoint needs, and where it looks for them: its own helpers, mkfs.btrfs, the bash
// of a base root. Opening a store and the doctor both ask here, so that neither promises what the
// other denies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint {

// One of the files that are built together with the library.
struct Helper {
  std::string name;
  std::string path;
  bool usable = false;
};

struct Helpers {
  std::string dir;
  Helper keeper;
  Helper init;
  Helper criu_shim;
  std::vector<Helper> all() const { return {keeper, init, criu_shim}; }
};

// In `dir`, or beside this program when that is empty.
Helpers look_for_helpers(const std::string& dir);
// The same, and kNotFound naming the first that cannot be used.
Result<Helpers> find_helpers(const std::string& dir);

// Looked for among the system's programs only: it runs as root, whatever PATH says.
Result<std::string> find_mkfs_btrfs();

// Path of bash as seen from inside `root`.
std::optional<std::string> find_bash(const std::string& root);

}  // namespace sf::waypoint
