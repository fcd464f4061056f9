#include "explore/branch_pool.h"

#include <algorithm>

namespace sf::explore {

void BranchPool::adopt(const std::string& branch, const std::string& state) {
  std::lock_guard lock(mutex_);
  places_.push_back({branch, state, false, ++clock_});
}

BranchPool::Lease BranchPool::take(const std::string& state) {
  std::unique_lock lock(mutex_);
  for (;;) {
    Place* free = choose(state);
    if (free != nullptr && free->state == state) {
      free->is_busy = true;
      return {free->branch, Need::kNothing};
    }
    if (places_.size() < most_) {
      places_.push_back({fresh_name(), "", true, 0});
      return {places_.back().branch, Need::kFork};
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
  if (Place* place = find(branch)) *place = {branch, state, false, ++clock_};
  freed_.notify_all();
}

void BranchPool::drop(const std::string& branch) {
  std::lock_guard lock(mutex_);
  std::erase_if(places_, [&](const Place& place) { return place.branch == branch; });
  freed_.notify_all();
}

BranchPool::Place* BranchPool::find(const std::string& branch) {
  auto found = std::ranges::find(places_, branch, &Place::branch);
  return found == places_.end() ? nullptr : &*found;
}

// A free one that stands at the state; else the one that was not used for the longest time, whose
// state is the least likely to be asked for again.
BranchPool::Place* BranchPool::choose(const std::string& state) {
  Place* best = nullptr;
  for (Place& place : places_) {
    if (place.is_busy) continue;
    if (place.state == state) return &place;
    if (best == nullptr || place.used < best->used) best = &place;
  }
  return best;
}

std::string BranchPool::fresh_name() const {
  for (std::size_t number = 1;; ++number) {
    std::string name = prefix_ + std::to_string(number);
    if (std::ranges::find(places_, name, &Place::branch) == places_.end()) return name;
  }
}

}  // namespace sf::explore
