// ImagePlan: how large the store's file system may be, so that it never runs out of room on its
// host. Pure. docs/decisions/0017-full-disk.md says why.
//
// The file system lies in a sparse file on the host. Its holes are a promise: if a session writes
// there, the host must have the room. The rule is
//
//   holes <= free bytes of the host - reserve
//
// Sessions keep it by themselves, since what they write makes the holes and the host's free bytes
// smaller by the same amount. Other programs on the host break it; then the file system is made
// smaller. If the host has little room left, there are no holes at all: the file is allocated ahead
// of what sessions write.
#pragma once

#include <cstdint>

namespace sf::waypoint {

struct RoomFacts {
  std::uint64_t host_bytes = 0;  // size of the host's file system
  std::uint64_t host_free = 0;
  std::uint64_t most = 0;       // what the user allows the store to grow to
  std::uint64_t size = 0;       // of the store's file system
  std::uint64_t chunk_end = 0;  // it has allocated nothing beyond
  std::uint64_t backed = 0;     // bytes that the host has allocated for it
};

struct ImagePlan {
  std::uint64_t size = 0;      // that the file system should have
  std::uint64_t allocate = 0;  // so much of the file must have no holes, from its beginning
  bool tight = false;          // look again soon: the host has little room
};

ImagePlan plan_image(const RoomFacts& facts);

// What sessions leave free on a host of this size, for the catalog, for removal and for others.
std::uint64_t host_reserve(std::uint64_t host_bytes);

}  // namespace sf::waypoint
