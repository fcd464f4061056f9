// FaultStore: a store that a test may wreck and reopen, and the proof that nothing is left of it.
// Whatever happened, the destructor ends every branch and removes the store.
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
  // `options.store_dir` is filled in here when empty.
  explicit FaultStore(waypoint::WaypointOptions options = {});
  FaultStore(const FaultStore&) = delete;
  FaultStore& operator=(const FaultStore&) = delete;
  ~FaultStore();

  // Opens the store, after closing it if it is open.
  Status open(waypoint::FaultPlan faults = {});
  // Branches go on living.
  void close() { manager_.reset(); }
  waypoint::Waypoint& manager() { return *manager_; }
  const std::string& path() const { return options_.store_dir; }

  // Ends all branches and reopens the store: it must hold these checkpoints and no trace of
  // anything else, and so must the host.
  void expect_nothing_left_but(const std::set<waypoint::CheckpointId>& checkpoints);

 private:
  void expect_file_layers(const std::set<waypoint::CheckpointId>& checkpoints) const;
  void mark_new_keepers();

  test::LeakCheck leaks_;
  test::TempDir dir_{"sf-faults"};
  waypoint::WaypointOptions options_;
  os::UniqueFd keepers_made_;  // tells the name of every keeper there ever was
  std::size_t descriptors_before_ = 0;
  std::optional<waypoint::Waypoint> manager_;
};

// Names in a directory; none when it cannot be read.
std::set<std::string> names_in(const std::string& directory);

}  // namespace sf::faults
