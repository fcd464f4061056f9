// Btrfs subvolumes by ioctl: create, snapshot, delete. A snapshot keeps inode numbers and shares
// all data.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sf::os {

Status create_subvolume(int parent_fd, const std::string& name);
// `source_fd` is the root of the subvolume to copy.
Status snapshot_subvolume(int source_fd, int parent_fd, const std::string& name);
// Returns at once; the file system frees the space in the background.
Status delete_subvolume(int parent_fd, const std::string& name);

// The most unwritten data the file system may gather before its writers wait. Holds for the whole
// file system, until it is unmounted.
Status limit_unwritten(int fd, std::uint64_t bytes);

}  // namespace sf::os
