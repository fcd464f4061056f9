// LiveBackend: the common part of all backends over Waypoint. They differ in how they keep and
// restore a state.
//
// A handle is the id of a Waypoint branch, a PhysicalRef is the id of a checkpoint. Several
// backends share one store: each labels its objects with its name and ignores all others.
// Thread-safe, as backend.h requires.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/shell_backend.h"
#include "waypoint/waypoint.h"

namespace sf::backends {

class LiveBackend : public ShellBackend {
 public:
  control::StartConfig with_defaults(control::StartConfig config) const override;
  Result<control::BranchHandle> start(const control::StartConfig& config) override;
  Status remove(const control::PhysicalRef& ref) override;
  Status end(const control::BranchHandle& branch) override;
  Status retire(const control::BranchHandle& branch) override;

  // resize() and window() do not ask the keeper for the size.
  Status resize(const control::BranchHandle& branch, std::uint16_t rows,
                std::uint16_t cols) override;
  Result<WindowSize> window(const control::BranchHandle& branch) override;
  // Reads the file directly, also while a command runs.
  Result<std::string> read_file(const control::BranchHandle& branch, const std::string& path,
                                std::size_t max_bytes) override;

  Result<std::string> digest(const control::BranchHandle& branch,
                             const std::optional<control::PhysicalRef>& since,
                             const control::DigestBudget& budget) override;
  // Compares files and the other parts that preserves() claims: processes, ports, environment,
  // working directory.
  Result<control::StateDiff> diff(const control::DiffSide& from,
                                  const control::DiffSide& to) override;
  Result<control::BackendUsage> usage() override;
  std::vector<control::PhysicalRef> ready() const override;
  Result<control::Inventory> inventory() override;

 protected:
  explicit LiveBackend(std::shared_ptr<waypoint::Waypoint> waypoint)
      : waypoint_(std::move(waypoint)) {}

  waypoint::Waypoint& waypoint() { return *waypoint_; }
  Result<Talk> talk(const control::BranchHandle& branch) override;
  // If the branch does not exist, the error is kSessionLost.
  Error explain(const control::BranchHandle& branch, Error error) override;
  bool has_digests() const override { return true; }
  Result<control::Checkpoint> checkpoint_of(const control::BranchHandle& branch,
                                            Result<waypoint::CheckpointInfo> taken);
  static Result<control::BranchHandle> handle_of(Result<waypoint::BranchId> made);
  Result<waypoint::BranchPids> pids(const control::BranchHandle& branch);

  // A live copy of a branch, used by the caller only.
  virtual Result<control::BranchHandle> copy(const control::BranchHandle& branch);

 private:
  waypoint::BranchConfig config_of(const control::BranchHandle& branch) const;

  std::shared_ptr<waypoint::Waypoint> waypoint_;
};

}  // namespace sf::backends
