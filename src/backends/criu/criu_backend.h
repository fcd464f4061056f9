// CriuBackend: CRIU only, as the lower bound in comparisons. A snapshot holds the shell and all
// processes with their memory, but no files. A restored tree sees the current files, and the
// restore fails if its open files have changed.
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
  // The forks use the files of the branch that the snapshot was taken of.
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;
};

}  // namespace sf::backends
