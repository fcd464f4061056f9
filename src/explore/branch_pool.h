// BranchPool: the live branches of a run, and which of them to use for a state: one that stands
// there, else a new one, else another that is brought there. Thread-safe.
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
  // Branches are called `prefix` and a number. Requires: `most` > 0.
  BranchPool(std::string prefix, std::size_t most) : prefix_(std::move(prefix)), most_(most) {}

  enum class Need {
    kNothing,  // it stands at the state
    kFork,     // it does not exist yet
    kRestore,  // it stands elsewhere
  };
  struct Lease {
    std::string branch;
    Need need = Need::kNothing;
  };
  // One that is there already, from before a run was resumed. Empty: nobody knows where it stands.
  void adopt(const std::string& branch, const std::string& state);
  // Waits until one is free.
  Lease take(const std::string& state);
  void give_back(const std::string& branch, const std::string& state);
  // It could not be made, or it was ended.
  void drop(const std::string& branch);

 private:
  struct Location {
    std::string branch;
    std::string state;  // empty: nobody knows
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
  std::vector<Location> locations_;  // guarded by mutex_, as is the next
  std::uint64_t clock_ = 0;
};

}  // namespace sf::explore
