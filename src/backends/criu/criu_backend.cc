#include "backends/criu/criu_backend.h"

#include <utility>

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;
using waypoint::BranchId;
using waypoint::CheckpointId;

Result<control::Checkpoint> CriuBackend::checkpoint(const BranchHandle& branch) {
  Result<control::BranchFacts> before = facts(branch);
  auto taken = waypoint().checkpoint(BranchId(branch.value()));
  if (!taken) return branch_error(branch, std::move(taken).error());
  return control::Checkpoint{.ref = PhysicalRef(taken->id.value()),
                             .bytes = taken->image_bytes,
                             .memory_bytes = before ? before->resident_bytes : 0,
                             .took = taken->took,
                             .stopped = taken->stopped};
}

Result<BranchHandle> CriuBackend::revive_over(const PhysicalRef& from, const BranchId& files_of) {
  auto made = waypoint().fork_over(CheckpointId(from.value()), files_of);
  if (!made) return std::move(made).error();
  return BranchHandle(made->value());
}

Result<BranchHandle> CriuBackend::restore(const BranchHandle& old, const PhysicalRef& from) {
  return revive_over(from, BranchId(old.value()));
}

std::vector<Result<BranchHandle>> CriuBackend::revive(const PhysicalRef& from, std::size_t count) {
  std::vector<Result<BranchHandle>> handles;
  BranchId origin;
  for (const waypoint::CheckpointInfo& info : waypoint().checkpoints()) {
    if (info.id.value() == from.value()) origin = info.branch;
  }
  while (handles.size() < count) handles.push_back(revive_over(from, origin));
  return handles;
}

}  // namespace sf::backends
