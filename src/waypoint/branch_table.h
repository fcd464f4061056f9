// BranchTable: the live branches, in memory and on disk (BranchRecords), and the right to change
// them. A branch's keeper orders its commands. A caller that replaces the keeper (checkpoint,
// restore, end) must claim the branch first. Thread-safe.
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

  // Reads the records, and drops those for which `look` returns no window: their branches are dead.
  using Look = std::function<Result<std::optional<WindowSize>>(const LiveRecord&)>;
  Status load(const Look& look,
              const std::function<std::shared_ptr<KeeperClient>(const std::string&)>& connect);

  Result<LiveRecord> find(const BranchId& branch) const;
  // The size of its terminal. Only set_window() and a new keeper change it.
  Result<WindowSize> window(const BranchId& branch) const;
  std::vector<LiveRecord> list() const;

  // The right to change a branch, and its current record.
  struct Claim {
    LiveRecord live;
    std::shared_ptr<std::mutex> mutex;
    std::unique_lock<std::mutex> lock;
  };
  // Waits while another caller has the claim.
  Result<Claim> claim(const BranchId& branch);

  // Requires: a claim on the branch, and an unchanged keeper.
  Status publish(const LiveRecord& live);
  // Requires: a new branch, or a claim on it.
  Status publish(const LiveRecord& live, WindowSize window);
  // Records the terminal's new size. Does nothing if the branch has another keeper by now.
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
