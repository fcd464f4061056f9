// OverlayBackend: files only. A snapshot is a sealed overlay layer, and every restore starts a new
// shell over it. Snapshots are fast and small and survive a reboot; processes are not restored.
#pragma once

#include "backends/live_backend.h"

namespace sf::backends {

class OverlayBackend final : public LiveBackend {
 public:
  explicit OverlayBackend(std::shared_ptr<waypoint::Waypoint> waypoint)
      : LiveBackend(std::move(waypoint)) {}

  std::string_view name() const override { return "overlay"; }
  control::Preserves preserves() const override { return control::Preserves::kFiles; }
  control::Capabilities capabilities() const override {
    return {.terminal = true, .files = true, .diff = true};
  }
  control::CostLine expected_cost() const override { return {0, 5'000}; }  // for any memory size

  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override;
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override;
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;

 protected:
  // No copy is needed: the files can be read in place.
  Result<control::BranchHandle> copy(const control::BranchHandle& branch) override;
};

}  // namespace sf::backends
