// Prerestore: whoever went back to a checkpoint does so again, and a checkpoint just taken is the
// next one's. Their trees are brought back ahead of time, each in a keeper of its own, and stand
// there before their first instruction; going back then only has one go on. Which ones:
// prerestore_policy.h. Thread-safe.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "waypoint/keeper/keeper_pool.h"
#include "waypoint/speculation/prerestore_policy.h"
#include "wire/frame.h"

namespace sf::waypoint {

class Prerestore {
 public:
  // `most`: trees that stand ready at a time; 0: none ever.
  Prerestore(KeeperPool& pool, std::size_t most) : pool_(pool), most_(most), plan_(most) {}
  Prerestore(const Prerestore&) = delete;
  Prerestore& operator=(const Prerestore&) = delete;
  ~Prerestore() { clear(); }

  // The checkpoint was taken, or gone back to. `request`: what a keeper is sent to bring it back
  // ahead of time.
  void expect(const std::string& checkpoint, wire::Frame request);
  // A keeper in which the checkpoint's tree stands, waited for where it is being made.
  std::optional<KeeperHandle> take(const std::string& checkpoint);
  // Before the checkpoint is removed.
  void forget(const std::string& checkpoint);
  void clear();
  // Checkpoints whose trees stand ready.
  std::vector<std::string> ready();

 private:
  struct Tree {
    wire::Frame request;
    std::optional<KeeperHandle> keeper = {};  // in which it stands
  };

  // Those that are planned, until something else is expected.
  void bring(long turn);
  Result<KeeperHandle> bring_one(const wire::Frame& request);
  // Until nobody is at work on it; false: still somebody is.
  bool wait_for(std::unique_lock<std::mutex>& lock, const std::string& checkpoint,
                microseconds patience);
  // Requires, both: mutex_ is held.
  std::optional<KeeperHandle> remove(const std::string& checkpoint);
  void retire(const PrerestorePolicy::Checkpoints& dropped);

  KeeperPool& pool_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  PrerestorePolicy plan_;              // guarded by mutex_
  std::map<std::string, Tree> trees_;  // guarded by mutex_; of the planned checkpoints
};

}  // namespace sf::waypoint
