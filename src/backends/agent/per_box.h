// PerBox: one T for each box, with a lock of its own: whoever waits for one box keeps nobody else
// waiting. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace sf::backends {

template <typename T>
class PerBox {
 public:
  struct Place {
    std::mutex mutex;
    T value{};  // guarded by mutex
  };
  // Made when it is first asked for.
  std::shared_ptr<Place> at(const std::string& box) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<Place>& place = places_[box];
    if (!place) place = std::make_shared<Place>();
    return place;
  }
  void erase(const std::string& box) {
    std::lock_guard lock(mutex_);
    places_.erase(box);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Place>> places_;  // guarded by mutex_
};

}  // namespace sf::backends
