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
// The creation time of the subvolume that contains `fd`, in nanoseconds since the epoch, by the
// clock that also sets file times. Fails on other file systems.
Result<long> subvolume_created_ns(int fd);
// Does not wait: the file system frees the space in the background.
Status delete_subvolume(int parent_fd, const std::string& name);

// Limits the amount of unwritten data; a writer above the limit waits. Applies to the whole file
// system until it is unmounted.
Status limit_unwritten(int fd, std::uint64_t bytes);

// The space of a file system on a single device.
struct BtrfsSpace {
  std::uint64_t size = 0;       // of the device, as the file system sees it
  std::uint64_t used = 0;       // by data and metadata; the DUP profile counts twice
  std::uint64_t chunk_end = 0;  // end of the last allocated chunk
};
// `fd`: any file of the file system.
Result<BtrfsSpace> btrfs_space(int fd);
// The smallest size that the kernel accepts for resize_btrfs().
inline constexpr std::uint64_t kLeastBtrfsSize = 256ULL << 20U;
// Moves no data if `bytes` is at least `chunk_end`. Requires: the device has at least that size.
Status resize_btrfs(int fd, std::uint64_t bytes);
// True if the file system was mounted read-only or has become so after a write error.
bool is_read_only(int fd);
// Discards the unused parts of the device (FITRIM); a loop device punches holes into its file.
Status discard_unused(int fd);

}  // namespace sf::os
