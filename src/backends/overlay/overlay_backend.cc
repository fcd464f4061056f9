#include "backends/overlay/overlay_backend.h"

#include <utility>

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;

Result<control::Checkpoint> OverlayBackend::checkpoint(const BranchHandle& branch) {
  auto taken = waypoint().seal(waypoint::BranchId(branch.value()));
  if (!taken) return branch_error(branch, std::move(taken).error());
  return control::Checkpoint{.ref = PhysicalRef(taken->id.value()),
                             .bytes = taken->image_bytes,
                             .took = taken->took,
                             .stopped = taken->stopped};
}

std::vector<Result<BranchHandle>> OverlayBackend::revive(const PhysicalRef& from,
                                                         std::size_t count) {
  std::vector<Result<BranchHandle>> handles;
  while (handles.size() < count) {
    auto started = waypoint().start_from(waypoint::CheckpointId(from.value()));
    if (started) {
      handles.emplace_back(BranchHandle(started->value()));
    } else {
      handles.emplace_back(std::move(started).error());
    }
  }
  return handles;
}

Result<BranchHandle> OverlayBackend::copy(const BranchHandle&) {
  return fail(ErrorCode::kUnsupported, "not needed");
}

}  // namespace sf::backends
