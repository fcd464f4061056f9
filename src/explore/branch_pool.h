// BranchPool: the live branches of a run. For a given state it picks a branch that is at that
// state, else a new branch, else another branch to restore. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace sf::explore {

class BranchPool {
 public:
  // Branch names are `prefix` and a number. Requires: `most` > 0.
  BranchPool(std::string prefix, std::size_t most) : prefix_(std::move(prefix)), most_(most) {}

  enum class Need {
    kNothing,  // the branch is at the state
    kFork,     // the branch does not exist yet
    kRestore,  // the branch is at another state
  };
  struct Lease {
    std::string branch;
    Need need = Need::kNothing;
  };
  // Adds an existing branch, left by an interrupted run. Empty `state`: unknown.
  void adopt(const std::string& branch, const std::string& state);
  // Waits until a branch is free.
  Lease take(const std::string& state);
  void give_back(const std::string& branch, const std::string& state);
  // Removes a branch that could not be made or was ended.
  void drop(const std::string& branch);

 private:
  struct Location {
    std::string branch;
    std::string state;  // empty: unknown
    bool is_busy = false;
    std::uint64_t used = 0;  // when it was given back
  };
  Location* find(const std::string& branch);
  Location* choose(const std::string& state);
  std::string fresh_name() const;

  const std::string prefix_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Location> locations_;  // guarded by mutex_, as is clock_
  std::uint64_t clock_ = 0;
};

}  // namespace sf::explore
