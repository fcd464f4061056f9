// PerSandbox: one T per sandbox, each with its own lock, so that a caller that waits for one
// sandbox does not block callers for others. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace sf::backends {

template <typename T>
class PerSandbox {
 public:
  struct Location {
    std::mutex mutex;
    T value{};  // guarded by mutex
  };
  // Creates the entry at the first call.
  std::shared_ptr<Location> at(const std::string& sandbox) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<Location>& location = locations_[sandbox];
    if (!location) location = std::make_shared<Location>();
    return location;
  }
  void erase(const std::string& sandbox) {
    std::lock_guard lock(mutex_);
    locations_.erase(sandbox);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Location>> locations_;  // guarded by mutex_
};

}  // namespace sf::backends
