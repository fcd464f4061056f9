// WaypointBackend: whole states. A checkpoint holds files, shell, processes and their memory.
#pragma once

#include "backends/live_backend.h"

namespace sf::backends {

class WaypointBackend final : public LiveBackend {
 public:
  explicit WaypointBackend(std::shared_ptr<waypoint::Waypoint> waypoint)
      : LiveBackend(std::move(waypoint)) {}

  std::string_view name() const override { return "waypoint"; }
  control::Preserves preserves() const override { return control::Preserves::everything(); }
  control::Capabilities capabilities() const override {
    return {.terminal = true, .files = true, .diff = true};
  }

  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override;
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override;
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;

 protected:
  bool notices_unchanged() const override { return true; }
};

}  // namespace sf::backends
