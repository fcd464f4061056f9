#include "backends/overlay/overlay_backend.h"

#include <utility>

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;

Result<control::Checkpoint> OverlayBackend::checkpoint(const BranchHandle& branch) {
  SF_TRY_ASSIGN(BranchFacts before, facts(branch));
  SF_TRY_ASSIGN(control::Checkpoint kept,
                checkpoint_of(branch, waypoint().seal(waypoint::BranchId(branch.value()))));
  kept.facts = before;
  return kept;
}

Result<BranchHandle> OverlayBackend::restore(const BranchHandle& /*old*/, const PhysicalRef& from) {
  return handle_of(waypoint().start_from(waypoint::CheckpointId(from.value())));
}

std::vector<Result<BranchHandle>> OverlayBackend::fork(const PhysicalRef& from, std::size_t count) {
  std::vector<Result<BranchHandle>> handles;
  while (handles.size() < count) handles.push_back(restore({}, from));
  return handles;
}

Result<BranchHandle> OverlayBackend::copy(const BranchHandle&) {
  return fail(ErrorCode::kUnsupported, "not needed");
}

}  // namespace sf::backends
