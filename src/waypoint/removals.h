// Removals: removals that failed, kept so that they can be retried. Their objects are no longer
// listed, but still use disk space. Thread-safe.
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
  // If it fails, it may be called again and then continues. Requires: the objects it refers to
  // outlive this object.
  using Work = std::function<Status()>;

  // Runs `work`; if it fails, keeps it under this name.
  Status attempt(const std::string& name, Work work);
  // Retries the removal with this name; nullopt if there is none.
  std::optional<Status> again(const std::string& name);
  // Retries all removals. Returns one line for each that failed again.
  std::vector<std::string> retry();

 private:
  std::mutex mutex_;
  std::map<std::string, Work> left_;
};

}  // namespace sf::waypoint
