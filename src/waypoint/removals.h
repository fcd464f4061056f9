// Removals: what was struck from all lists and could not be removed yet. Kept, so that it is tried
// again and never forgotten while its bytes stay. Thread-safe; movable in the hands of its owner.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sf::waypoint {

class Removals {
 public:
  // May be called again after it failed, and then goes on. Requires: what it refers to outlives
  // this object.
  using Work = std::function<Status()>;

  // Removes it; if that fails, keeps it under that name.
  Status attempt(const std::string& name, Work work);
  // Tries again what is kept under that name. Nothing: there is none.
  std::optional<Status> again(const std::string& name);
  // Tries everything again. One line for each that is still left.
  std::vector<std::string> retry();

 private:
  std::mutex mutex_;
  std::map<std::string, Work> left_;
};

}  // namespace sf::waypoint
