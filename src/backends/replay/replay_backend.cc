#include "backends/replay/replay_backend.h"

namespace sf::backends {
namespace {

Error no_snapshots() {
  return fail(ErrorCode::kUnsupported, "the replay backend has no physical snapshots",
              "use the waypoint or the overlay backend");
}

}  // namespace

Result<control::Checkpoint> ReplayBackend::checkpoint(const control::BranchHandle&) {
  return no_snapshots();
}

Result<control::BranchHandle> ReplayBackend::restore(const control::BranchHandle&,
                                                     const control::PhysicalRef&) {
  return no_snapshots();
}

std::vector<Result<control::BranchHandle>> ReplayBackend::fork(const control::PhysicalRef&,
                                                               std::size_t count) {
  return std::vector<Result<control::BranchHandle>>(count, no_snapshots());
}

}  // namespace sf::backends
