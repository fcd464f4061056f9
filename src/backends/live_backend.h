// LiveBackend: what all backends over Waypoint have in common. How a state is kept and brought back
// is where they differ.
//
// A handle is the id of a Waypoint branch, a PhysicalRef the id of a checkpoint. Several backends
// share one store: each labels what is its own with its name, and sees nothing else.
// Thread-safe, as backend.h wants it.
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

  // Both know the size without asking the keeper.
  Status resize(const control::BranchHandle& branch, std::uint16_t rows,
                std::uint16_t cols) override;
  Result<WindowSize> window(const control::BranchHandle& branch) override;
  // From outside, also while a command runs.
  Result<std::string> read_file(const control::BranchHandle& branch, const std::string& path,
                                std::size_t max_bytes) override;

  Result<std::string> digest(const control::BranchHandle& branch,
                             const std::optional<control::PhysicalRef>& since,
                             const control::DigestBudget& budget) override;
  // Files, and what else preserves() claims: processes, ports, environment, working directory.
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
  // A branch that is not there is a branch lost.
  Error explain(const control::BranchHandle& branch, Error error) override;
  bool has_digests() const override { return true; }
  Result<control::Checkpoint> checkpoint_of(const control::BranchHandle& branch,
                                            Result<waypoint::CheckpointInfo> taken);
  static Result<control::BranchHandle> handle_of(Result<waypoint::BranchId> made);
  Result<waypoint::BranchPids> pids(const control::BranchHandle& branch);

  // A live copy of a branch that nobody else uses, or why there is none.
  virtual Result<control::BranchHandle> copy(const control::BranchHandle& branch);

 private:
  waypoint::BranchConfig config_of(const control::BranchHandle& branch) const;

  std::shared_ptr<waypoint::Waypoint> waypoint_;
};

}  // namespace sf::backends
