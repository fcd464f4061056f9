// CriuBackend: CRIU alone, as the lower bound to compare with. A snapshot holds the shell and all
// that runs with its memory, but no files: a restored tree finds the files as they are by then, and
// cannot come back when those it has open were changed.
#pragma once

#include "backends/live_backend.h"

namespace sf::backends {

class CriuBackend final : public LiveBackend {
 public:
  explicit CriuBackend(std::shared_ptr<waypoint::Waypoint> waypoint)
      : LiveBackend(std::move(waypoint)) {}

  std::string_view name() const override { return "criu"; }
  control::Preserves preserves() const override {
    return control::Preserves::kShell | control::Preserves::kProcesses |
           control::Preserves::kMemory | control::Preserves::kLocalServices;
  }
  control::Capabilities capabilities() const override { return {.terminal = true, .files = true}; }
  control::CostLine expected_cost() const override { return {500, 30'000}; }

  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override;
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override;
  // Over the files of the branch it was taken on.
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;
};

}  // namespace sf::backends
