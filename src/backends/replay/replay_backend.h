// ReplayBackend: keeps nothing. A state comes back by doing everything again from a fresh start,
// which the control plane does and verifies.
#pragma once

#include "backends/live_backend.h"

namespace sf::backends {

class ReplayBackend final : public LiveBackend {
 public:
  explicit ReplayBackend(std::shared_ptr<waypoint::Waypoint> waypoint)
      : LiveBackend(std::move(waypoint)) {}

  std::string_view name() const override { return "replay"; }
  // What commands do to files and to the shell they do again. Processes start again too, but what
  // they have become since is lost.
  control::Preserves preserves() const override {
    return control::Preserves::kFiles | control::Preserves::kShell;
  }
  control::Capabilities capabilities() const override {
    return {.physical_snapshots = false, .terminal = true, .files = true, .diff = true};
  }

  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override;
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override;
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;
};

}  // namespace sf::backends
