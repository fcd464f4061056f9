// Btrfs by ioctl: subvolumes (a snapshot keeps inode numbers and shares all data), and the size of
// a mounted file system.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sf::os {

Status create_subvolume(int parent_fd, const std::string& name);
// `source_fd` is the root of the subvolume to copy.
Status snapshot_subvolume(int source_fd, int parent_fd, const std::string& name);
// When the subvolume that `fd` lies in was made, in nanoseconds since the epoch, by the clock that
// gives files their times. Fails on other file systems.
Result<long> subvolume_created_ns(int fd);
// Returns at once; the file system frees the space in the background.
Status delete_subvolume(int parent_fd, const std::string& name);

// The most unwritten data the file system may gather before its writers wait. Holds for the whole
// file system, until it is unmounted.
Status limit_unwritten(int fd, std::uint64_t bytes);

// Of a file system on one device; `fd` is any file in it.
struct BtrfsSpace {
  std::uint64_t size = 0;       // of the device, as the file system uses it
  std::uint64_t used = 0;       // by data and metadata, with the copies that a profile makes
  std::uint64_t chunk_end = 0;  // nothing has been allocated from here to the end of the device
};
Result<BtrfsSpace> btrfs_space(int fd);
// The smallest size that the kernel accepts for resize_btrfs().
inline constexpr std::uint64_t kLeastBtrfsSize = 256ULL << 20U;
// Moves nothing if `bytes` is at least `chunk_end`. Requires: the device has that size.
Status resize_btrfs(int fd, std::uint64_t bytes);
// True if the file system was mounted read-only or has become so after a write error.
bool is_read_only(int fd);
// Tells the device which parts of it are unused (FITRIM); a loop device makes holes of them.
Status discard_unused(int fd);

}  // namespace sf::os
