#include "explore/branch_pool.h"

#include <algorithm>

namespace sf::explore {

void BranchPool::adopt(const std::string& branch, const std::string& state) {
  std::lock_guard lock(mutex_);
  locations_.push_back({branch, state, false, ++clock_});
}

BranchPool::Lease BranchPool::take(const std::string& state) {
  std::unique_lock lock(mutex_);
  for (;;) {
    Location* free = choose(state);
    if (free != nullptr && free->state == state) {
      free->is_busy = true;
      return {free->branch, Need::kNothing};
    }
    if (locations_.size() < most_) {
      locations_.push_back({fresh_name(), "", true, 0});
      return {locations_.back().branch, Need::kFork};
    }
    if (free != nullptr) {
      free->is_busy = true;
      return {free->branch, Need::kRestore};
    }
    freed_.wait(lock);
  }
}

void BranchPool::give_back(const std::string& branch, const std::string& state) {
  std::lock_guard lock(mutex_);
  if (Location* location = find(branch)) *location = {branch, state, false, ++clock_};
  freed_.notify_all();
}

void BranchPool::drop(const std::string& branch) {
  std::lock_guard lock(mutex_);
  std::erase_if(locations_, [&](const Location& location) { return location.branch == branch; });
  freed_.notify_all();
}

BranchPool::Location* BranchPool::find(const std::string& branch) {
  auto found = std::ranges::find(locations_, branch, &Location::branch);
  return found == locations_.end() ? nullptr : &*found;
}

// Prefers a free branch at this state. The alternative is the least recently used free branch: its
// state is the least likely to be needed again.
BranchPool::Location* BranchPool::choose(const std::string& state) {
  Location* best = nullptr;
  for (Location& location : locations_) {
    if (location.is_busy) continue;
    if (location.state == state) return &location;
    if (best == nullptr || location.used < best->used) best = &location;
  }
  return best;
}

std::string BranchPool::fresh_name() const {
  for (std::size_t number = 1;; ++number) {
    std::string name = prefix_ + std::to_string(number);
    if (std::ranges::find(locations_, name, &Location::branch) == locations_.end()) return name;
  }
}

}  // namespace sf::explore
