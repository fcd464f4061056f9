// Prerestore: restores trees ahead of time. A checkpoint that was just taken or restored will
// probably be restored next. Each tree is restored in its own keeper and stopped before its first
// instruction; the restore then only resumes it. prerestore_policy.h chooses the checkpoints.
// Thread-safe.
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
  // `most`: maximum number of prerestored trees; 0 disables prerestores.
  Prerestore(KeeperPool& pool, std::size_t most) : pool_(pool), most_(most), plan_(most) {}
  Prerestore(const Prerestore&) = delete;
  Prerestore& operator=(const Prerestore&) = delete;
  ~Prerestore() { clear(); }

  // Plans a prerestore of a checkpoint that was taken or restored. `request` is sent to the keeper.
  void expect(const std::string& checkpoint, wire::Frame request);
  // Returns the keeper with the checkpoint's prerestored tree, if any. Waits if the tree is being
  // restored.
  std::optional<KeeperHandle> take(const std::string& checkpoint);
  // Call it before the checkpoint is removed.
  void forget(const std::string& checkpoint);
  void clear();
  // Checkpoints with a prerestored tree.
  std::vector<std::string> ready();

 private:
  struct Tree {
    wire::Frame request;
    std::optional<KeeperHandle> keeper = {};  // the keeper with the tree
  };

  // Makes the planned prerestores, until another checkpoint is expected.
  void bring(long turn);
  Result<KeeperHandle> bring_one(const wire::Frame& request);
  // Waits until the tree is not being restored; false on timeout.
  bool wait_for(std::unique_lock<std::mutex>& lock, const std::string& checkpoint,
                microseconds patience);
  // Both require: mutex_ is held.
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
