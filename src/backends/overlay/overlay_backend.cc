#include "backends/overlay/overlay_backend.h"

#include <utility>

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;

Result<control::Checkpoint> OverlayBackend::checkpoint(const BranchHandle& branch) {
  SF_TRY_ASSIGN(BranchFacts before, facts(branch));
  auto taken = waypoint().seal(waypoint::BranchId(branch.value()));
  if (!taken) return explain(branch, std::move(taken).error());
  return control::Checkpoint{.ref = PhysicalRef(taken->id.value()),
                             .bytes = taken->image_bytes,
                             .facts = before,
                             .took = taken->took,
                             .stopped = taken->stopped};
}

Result<BranchHandle> OverlayBackend::restore(const BranchHandle& /*old*/, const PhysicalRef& from) {
  auto started = waypoint().start_from(waypoint::CheckpointId(from.value()));
  if (!started) return std::move(started).error();
  return BranchHandle(started->value());
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
