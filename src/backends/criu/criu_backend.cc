#include "backends/criu/criu_backend.h"

#include <utility>

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;
using waypoint::BranchId;
using waypoint::CheckpointId;

Result<control::Checkpoint> CriuBackend::checkpoint(const BranchHandle& branch) {
  auto taken = waypoint().checkpoint(BranchId(branch.value()));
  if (!taken) return explain(branch, std::move(taken).error());
  return control::Checkpoint{.ref = PhysicalRef(taken->id.value()),
                             .bytes = taken->image_bytes,
                             .facts = taken->facts,
                             .took = taken->took,
                             .stopped = taken->stopped};
}

// Over the files that `old` has now.
Result<BranchHandle> CriuBackend::restore(const BranchHandle& old, const PhysicalRef& from) {
  const BranchId branch(old.value());
  auto made = waypoint().restore(branch, CheckpointId(from.value()),
                                 {.old = waypoint::OldBranch::kKept, .files_of = branch});
  if (!made) return std::move(made).error();
  return BranchHandle(made->value());
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
