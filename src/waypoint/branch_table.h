// BranchTable: the branches that live now, in memory and on disk (BranchRegistry), and who may
// change one. Commands are ordered by the branch's keeper; what replaces the keeper (checkpoint,
// restore, end) is claimed here first. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "waypoint/branch_registry.h"
#include "waypoint/keeper_client.h"

namespace sf::waypoint {

struct LiveRecord {
  BranchRecord record;
  std::shared_ptr<KeeperClient> client;
};

class BranchTable {
 public:
  explicit BranchTable(std::string store_dir) : registry_(std::move(store_dir)) {}

  // Reads the records, drops those for which `is_alive` says no.
  Status load(const std::function<Result<bool>(const LiveRecord&)>& is_alive,
              const std::function<std::shared_ptr<KeeperClient>(const std::string&)>& connect);

  Result<LiveRecord> find(const BranchId& branch) const;
  std::vector<LiveRecord> list() const;

  // The right to change a branch, and what it is right now. Waits for whoever has it.
  struct Claim {
    LiveRecord live;
    std::shared_ptr<std::mutex> mutex;
    std::unique_lock<std::mutex> lock;
  };
  Result<Claim> claim(const BranchId& branch);

  // Requires: a new branch, or a claim on it.
  Status publish(const LiveRecord& live);
  Status remove(const BranchId& branch);

 private:
  struct Entry {
    LiveRecord live;
    std::shared_ptr<std::mutex> changing = std::make_shared<std::mutex>();
  };
  BranchRegistry registry_;
  mutable std::mutex mutex_;
  std::map<BranchId, Entry> entries_;  // guarded by mutex_
};

}  // namespace sf::waypoint
