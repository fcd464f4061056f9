#include "waypoint/removals.h"

#include <utility>

namespace sf::waypoint {

Status Removals::attempt(const std::string& name, Work work) {
  Status removed = work();
  std::lock_guard lock(mutex_);
  if (removed) {
    left_.erase(name);
  } else {
    left_[name] = std::move(work);
  }
  return removed;
}

std::optional<Status> Removals::again(const std::string& name) {
  Work work;
  {
    std::lock_guard lock(mutex_);
    auto it = left_.find(name);
    if (it == left_.end()) return std::nullopt;
    work = it->second;
  }
  return attempt(name, std::move(work));
}

std::vector<std::string> Removals::retry() {
  std::vector<std::string> names;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [name, work] : left_) names.push_back(name);
  }
  std::vector<std::string> left;
  for (const std::string& name : names) {
    if (auto removed = again(name); removed && !removed->ok())
      left.push_back(name + ": " + removed->error().message);
  }
  return left;
}

}  // namespace sf::waypoint
