// BranchTable: the branches that live now, in memory and on disk (BranchRecords), and who may
// change one. Commands are ordered by the branch's keeper; what replaces the keeper (checkpoint,
// restore, end) is claimed here first. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "waypoint/branch_records.h"
#include "wire/keeper_client.h"

namespace sf::waypoint {

struct LiveRecord {
  BranchRecord record;
  std::shared_ptr<KeeperClient> client;
};

class BranchTable {
 public:
  explicit BranchTable(std::string store_dir) : records_(std::move(store_dir)) {}

  // Reads the records, drops those of which `look` sees no window: they are dead.
  using Look = std::function<Result<std::optional<WindowSize>>(const LiveRecord&)>;
  Status load(const Look& look,
              const std::function<std::shared_ptr<KeeperClient>(const std::string&)>& connect);

  Result<LiveRecord> find(const BranchId& branch) const;
  // The size of its terminal, which nobody but set_window() and a new keeper change.
  Result<WindowSize> window(const BranchId& branch) const;
  std::vector<LiveRecord> list() const;

  // The right to change a branch, and what it is right now. Waits for whoever has it.
  struct Claim {
    LiveRecord live;
    std::shared_ptr<std::mutex> mutex;
    std::unique_lock<std::mutex> lock;
  };
  Result<Claim> claim(const BranchId& branch);

  // Requires: a claim on the branch. Its keeper is the same.
  Status publish(const LiveRecord& live);
  // Requires: a new branch, or a claim on it.
  Status publish(const LiveRecord& live, WindowSize window);
  // The keeper's terminal has this size now. Does nothing if the branch has another keeper by now.
  void set_window(const BranchRecord& record, WindowSize window);
  Status remove(const BranchId& branch);

 private:
  struct Entry {
    LiveRecord live;
    WindowSize window;
    std::shared_ptr<std::mutex> changing = std::make_shared<std::mutex>();
  };
  BranchRecords records_;
  mutable std::mutex mutex_;
  std::map<BranchId, Entry> entries_;  // guarded by mutex_
};

}  // namespace sf::waypoint
