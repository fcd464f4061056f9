// ImagePlan: computes the size of the store's file system, so that it never runs out of space on
// its host. Pure. Reasons: docs/decisions/0017-full-disk.md.
//
// The file system is in a sparse file on the host. If a session writes to a hole of the file, the
// host must have space for it. The rule is
//
//   holes <= free bytes of the host - reserve
//
// Writes of sessions preserve the rule: they reduce the holes and the host's free bytes by the same
// amount. If other programs on the host break it, the file system is made smaller. If the host has
// little space left, the plan allows no holes: the file is allocated before sessions write to it.
#pragma once

#include <cstdint>

namespace sf::waypoint {

struct RoomFacts {
  std::uint64_t host_bytes = 0;  // size of the host's file system
  std::uint64_t host_free = 0;
  std::uint64_t most = 0;       // the user's limit for the store
  std::uint64_t size = 0;       // of the store's file system
  std::uint64_t chunk_end = 0;  // end of the last chunk
  std::uint64_t backed = 0;     // bytes that the host has allocated for it
};

struct ImagePlan {
  std::uint64_t size = 0;      // wanted size of the file system
  std::uint64_t allocate = 0;  // bytes from the file's start that must have no holes
  bool tight = false;          // look again soon: the host has little room
};

ImagePlan plan_image(const RoomFacts& facts);

// The space on a host of this size that sessions leave free for the catalog, for removals and for
// other programs.
std::uint64_t host_reserve(std::uint64_t host_bytes);

}  // namespace sf::waypoint
