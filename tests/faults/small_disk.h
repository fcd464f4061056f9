// SmallDisk: a file system of a given size, visible only to the calling process and its children,
// for tests that fill it up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace sf::faults {

// Runs `body` in a child process that has the disk (ext4 on a loop device) mounted at the path
// passed to `body`. The child's mounts do not propagate to or from the parent, but are shared among
// themselves, as on an ordinary host. The running test fails if the child's does.
void on_small_disk(std::uint64_t bytes, const std::function<void(const std::string& path)>& body);

// An ext4 file system in a new file `image`, mounted at `at`. The loop device is detached with the
// mount.
Status mount_new_disk(const std::string& image, std::uint64_t bytes, const std::string& at);
bool is_loop_attached(const std::string& image);

// Fills the file system that holds `path` up to its last block.
void fill_up(const std::string& path);
// Leaves `room` bytes free on the file system of `path`, which must not exist, by allocating the
// rest.
void leave_room(const std::string& path, std::uint64_t room);

}  // namespace sf::faults
