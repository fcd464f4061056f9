#include "backends/waypoint/waypoint_backend.h"

#include <utility>

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;

Result<control::Checkpoint> WaypointBackend::checkpoint(const BranchHandle& branch) {
  auto taken = waypoint().checkpoint(waypoint::BranchId(branch.value()));
  if (!taken) return explain(branch, std::move(taken).error());
  return control::Checkpoint{.ref = PhysicalRef(taken->id.value()),
                             .bytes = taken->image_bytes,
                             .facts = taken->facts,
                             .took = taken->took,
                             .stopped = taken->stopped,
                             .unchanged = taken->base.has_value(),
                             .precaptured = taken->precaptured};
}

Result<BranchHandle> WaypointBackend::restore(const BranchHandle& old, const PhysicalRef& from) {
  auto made =
      waypoint().restore(waypoint::BranchId(old.value()), waypoint::CheckpointId(from.value()),
                         {.old = waypoint::OldBranch::kKept});
  if (!made) return std::move(made).error();
  return BranchHandle(made->value());
}

std::vector<Result<BranchHandle>> WaypointBackend::fork(const PhysicalRef& from,
                                                        std::size_t count) {
  std::vector<Result<BranchHandle>> handles;
  if (count == 0) return handles;
  for (auto& made : waypoint().fork(waypoint::CheckpointId(from.value()), count)) {
    if (made) {
      handles.emplace_back(BranchHandle(made->value()));
    } else {
      handles.emplace_back(std::move(made).error());
    }
  }
  // A request that is refused as a whole is answered once.
  while (handles.size() < count) handles.push_back(handles.back());
  return handles;
}

}  // namespace sf::backends
