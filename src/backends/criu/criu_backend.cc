#include "backends/criu/criu_backend.h"

#include <utility>

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;
using waypoint::BranchId;
using waypoint::CheckpointId;

Result<control::Checkpoint> CriuBackend::checkpoint(const BranchHandle& branch) {
  return checkpoint_of(branch, waypoint().checkpoint(BranchId(branch.value())));
}

// The restored processes use the current files of `old`.
Result<BranchHandle> CriuBackend::restore(const BranchHandle& old, const PhysicalRef& from) {
  const BranchId branch(old.value());
  return handle_of(waypoint().restore(branch, CheckpointId(from.value()),
                                      {.old = waypoint::OldBranch::kKept, .files_of = branch}));
}

std::vector<Result<BranchHandle>> CriuBackend::fork(const PhysicalRef& from, std::size_t count) {
  std::vector<Result<BranchHandle>> handles;
  BranchHandle origin;
  for (const waypoint::CheckpointInfo& info : waypoint().checkpoints()) {
    if (info.id.value() == from.value()) origin = BranchHandle(info.branch.value());
  }
  while (handles.size() < count) handles.push_back(restore(origin, from));
  return handles;
}

}  // namespace sf::backends
