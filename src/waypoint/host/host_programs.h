// Finds the programs that Waypoint needs: its own helpers, mkfs.btrfs, the bash of a base root.
// Opening a store and the doctor use the same functions, so that their results agree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint {

// A file that is built together with the library.
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

// Searches `dir`, or the directory of this program if `dir` is empty.
Helpers look_for_helpers(const std::string& dir);
// The same, but fails with kNotFound if a helper cannot be used; the error names it.
Result<Helpers> find_helpers(const std::string& dir);

// Searches the system directories only, not PATH, since it runs as root.
Result<std::string> find_mkfs_btrfs();

// Path of bash inside `root`.
std::optional<std::string> find_bash(const std::string& root);

}  // namespace sf::waypoint
