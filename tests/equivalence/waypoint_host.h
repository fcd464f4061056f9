// WaypointHost: branches directly on the substrate, in a store of its own, with a leak check.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "session.h"
#include "testing/leak_check.h"
#include "testing/temp_dir.h"
#include "waypoint/waypoint.h"

namespace sf::equivalence {

class WaypointHost final : public Host {
 public:
  static Result<std::unique_ptr<WaypointHost>> open(
      waypoint::FileLayerKind file_layers = waypoint::FileLayerKind::kAuto);

  waypoint::Waypoint& waypoint() { return *waypoint_; }
  waypoint::EngineChoice engine() const { return engine_; }

  Result<BranchId> start(const std::string& user) override;
  Result<BranchId> fork(const CheckpointId& checkpoint) override;
  Result<Observation> exec(const BranchId& branch, const std::string& command,
                           milliseconds patience) override;
  Result<CheckpointId> checkpoint(const BranchId& branch) override;
  Status restore(const BranchId& branch, const CheckpointId& checkpoint) override;
  Status end(const BranchId& branch) override { return waypoint_->end(branch); }
  void close() override;

 private:
  WaypointHost() = default;
  void await_tree(const CheckpointId& checkpoint);
  void await_capture(const BranchId& branch);
  test::LeakCheck leaks_;
  test::TempDir dir_{"sf-equivalence"};
  std::string programs_;
  waypoint::EngineChoice engine_ = waypoint::EngineChoice::kCriu;
  std::unique_ptr<waypoint::Waypoint> waypoint_;
  std::optional<bool> speculates_;
  int gone_back_ = 0;
  int foreseen_ = 0;  // restores for which a prerestored tree was ready
  int checkpoints_ = 0;
  int precaptured_ = 0;  // checkpoints that had been precaptured
};

}  // namespace sf::equivalence
