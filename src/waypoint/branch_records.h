// BranchRecords: records on disk of which keeper serves which branch. Publishing a record creates a
// branch, or switches it to a restored tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/process.h"
#include "waypoint/waypoint.h"

namespace sf::waypoint {

struct BranchRecord {
  BranchId id;
  std::string keeper;  // id
  os::ProcessKey keeper_process;
  BranchConfig config;
  std::optional<CheckpointId> head;
  std::string template_file_layer =
      {};  // the branch started as a copy of it; empty after a restore
};

class BranchRecords {
 public:
  explicit BranchRecords(std::string store_dir) : dir_(std::move(store_dir) + "/branches") {}

  Status publish(const BranchRecord& record) const;
  Status remove(const BranchId& id) const;
  // Loads all records and removes incomplete ones: their branches cannot be named, and store_sweep
  // ends their keepers. Fails if a record cannot be read or has another version, since its branch
  // may be alive.
  Result<std::vector<BranchRecord>> load_all() const;

 private:
  std::string dir_;
};

}  // namespace sf::waypoint
