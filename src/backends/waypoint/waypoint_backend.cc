#include "backends/waypoint/waypoint_backend.h"

#include <utility>

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;

Result<control::Checkpoint> WaypointBackend::checkpoint(const BranchHandle& branch) {
  return checkpoint_of(branch, waypoint().checkpoint(waypoint::BranchId(branch.value())));
}

Result<BranchHandle> WaypointBackend::restore(const BranchHandle& old, const PhysicalRef& from) {
  return handle_of(waypoint().restore(waypoint::BranchId(old.value()),
                                      waypoint::CheckpointId(from.value()),
                                      {.old = waypoint::OldBranch::kKept}));
}

std::vector<Result<BranchHandle>> WaypointBackend::fork(const PhysicalRef& from,
                                                        std::size_t count) {
  std::vector<Result<BranchHandle>> handles;
  if (count == 0) return handles;
  for (auto& made : waypoint().fork(waypoint::CheckpointId(from.value()), count))
    handles.push_back(handle_of(std::move(made)));
  // If the whole request is refused, there is only one error.
  while (handles.size() < count) handles.push_back(handles.back());
  return handles;
}

}  // namespace sf::backends
