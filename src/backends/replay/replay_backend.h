// ReplayBackend: keeps no states. The control plane restores a state by running all commands again
// from a new start, and verifies the result.
#pragma once

#include "backends/live_backend.h"

namespace sf::backends {

class ReplayBackend final : public LiveBackend {
 public:
  explicit ReplayBackend(std::shared_ptr<waypoint::Waypoint> waypoint)
      : LiveBackend(std::move(waypoint)) {}

  std::string_view name() const override { return "replay"; }
  // A replay repeats the commands' effects on files and on the shell. It starts processes again,
  // but their later state is lost.
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
