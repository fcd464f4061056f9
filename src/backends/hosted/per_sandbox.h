// PerSandbox: one T for each sandbox, with a lock of its own: whoever waits for one sandbox keeps
// nobody else waiting. Thread-safe.
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
  // Made when it is first asked for.
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
