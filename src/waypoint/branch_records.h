// BranchRecords: which keeper serves which branch, on disk. Publishing a record is the instant at
// which a branch comes into being, or changes over to a restored tree.
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
  std::string keeper;  // its id
  os::ProcessKey keeper_process;
  BranchConfig config;
  std::optional<CheckpointId> head;
  std::string template_file_layer = {};  // it began as a copy of this; empty: of a checkpoint
};

class BranchRecords {
 public:
  explicit BranchRecords(std::string store_dir) : dir_(std::move(store_dir) + "/branches") {}

  Status publish(const BranchRecord& record) const;
  Status remove(const BranchId& id) const;
  // Garbage is removed: a branch nobody can name cannot be used, and its keeper is swept. A record
  // that cannot be read, or of another version, is an error: its branch may live.
  Result<std::vector<BranchRecord>> load_all() const;

 private:
  std::string dir_;
};

}  // namespace sf::waypoint
