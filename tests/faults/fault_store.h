// FaultStore: a store that a test may damage and reopen, with a check that nothing of it is left.
// The destructor always ends every branch and removes the store.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "os/fd.h"
#include "testing/leak_check.h"
#include "testing/temp_dir.h"
#include "waypoint/waypoint.h"

namespace sf::faults {

class FaultStore {
 public:
  // If `options.store_dir` is empty, a temporary directory is used.
  explicit FaultStore(waypoint::WaypointOptions options = {});
  FaultStore(const FaultStore&) = delete;
  FaultStore& operator=(const FaultStore&) = delete;
  ~FaultStore();

  // Opens the store; closes it first if it is open.
  Status open(waypoint::FaultPlan faults = {});
  // The branches stay alive.
  void close() { manager_.reset(); }
  waypoint::Waypoint& manager() { return *manager_; }
  const std::string& path() const { return options_.store_dir; }

  // Ends all branches and reopens the store. The store must hold exactly these checkpoints, and
  // neither the store nor the host anything else.
  void expect_nothing_left_but(const std::set<waypoint::CheckpointId>& checkpoints);

 private:
  void expect_file_layers(const std::set<waypoint::CheckpointId>& checkpoints) const;
  void mark_new_keepers();

  test::LeakCheck leaks_;
  test::TempDir dir_{"sf-faults"};
  waypoint::WaypointOptions options_;
  os::UniqueFd keepers_made_;  // inotify descriptor that reports the name of every keeper
  std::size_t descriptors_before_ = 0;
  std::optional<waypoint::Waypoint> manager_;
};

// Names in a directory; empty if it cannot be read.
std::set<std::string> names_in(const std::string& directory);

}  // namespace sf::faults
