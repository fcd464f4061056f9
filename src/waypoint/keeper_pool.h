// KeeperPool: starts keepers, keeps one spare with its namespaces and its CRIU worker ready, and
// ends the old ones off the caller's path. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "waypoint/branch_config.h"
#include "waypoint/keeper_client.h"
#include "waypoint/unit_store.h"

namespace sf::waypoint {

struct KeeperHandle {
  std::string id;
  std::shared_ptr<KeeperClient> client;
};

struct KeeperPrograms {
  std::string store_dir;
  std::string keeper;  // waypoint-keeper
  std::string criu;
  std::string criu_shim;  // preloaded into CRIU
};

class KeeperPool {
 public:
  KeeperPool(KeeperPrograms programs, UnitStore& units)
      : programs_(std::move(programs)), units_(units) {}
  ~KeeperPool();  // ends the spare and waits for what was asked to end

  // Starts the background work. Before all others.
  Status start();
  Result<KeeperHandle> take(Network network);
  // Ends a keeper in the background, and clears away what one that was killed left.
  void retire(KeeperHandle keeper);
  // Waits until the background work is done.
  void settle();

 private:
  void end(const KeeperHandle& keeper);
  Result<KeeperHandle> spawn(Network network) const;
  void run_background();
  void post(std::function<void()> task);

  KeeperPrograms programs_;
  UnitStore& units_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<KeeperHandle> spare_;        // guarded by mutex_
  bool spare_coming_ = false;                // guarded by mutex_
  std::deque<std::function<void()>> tasks_;  // guarded by mutex_
  bool working_ = false;                     // guarded by mutex_
  bool closing_ = false;                     // guarded by mutex_
  std::thread background_;
};

}  // namespace sf::waypoint
