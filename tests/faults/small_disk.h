// SmallDisk: a file system of a given size that only the calling process and its children see, for
// tests that fill it up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace sf::faults {

// Runs `body` in a child process that has the disk (ext4 in a loop device) mounted at the path that
// `body` is given. The child's mounts follow no others and no others follow them, but among
// themselves they are shared, as those of an ordinary host are.
// The running test fails if the child's does.
void on_small_disk(std::uint64_t bytes, const std::function<void(const std::string& path)>& body);

// An ext4 file system in a new file `image`, mounted at `at`. The loop device goes with the mount.
Status mount_new_disk(const std::string& image, std::uint64_t bytes, const std::string& at);
bool is_loop_attached(const std::string& image);

// Fills the file system that holds `path` up to its last block.
void fill_up(const std::string& path);
// Leaves so much room there, by allocating the rest at once.
void leave_room(const std::string& path, std::uint64_t room);

}  // namespace sf::faults
