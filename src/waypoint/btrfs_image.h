// BtrfsImage: the sparse file that holds the store's file system. It follows the free space of its
// host (image_plan.h) and returns unused space to the host.
//
// Not thread-safe; other processes may use the file system at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "os/btrfs.h"
#include "os/loop_device.h"

namespace sf::waypoint {

class BtrfsImage {
 public:
  // `most`: the maximum size of the file system.
  BtrfsImage(std::string path, std::uint64_t most) : path_(std::move(path)), most_(most) {}

  // Creates the file with an empty file system, which is small at first.
  Status create() const;
  // Adapts the size once. `root` is any file of the mounted file system. Returns the time until the
  // next call is due.
  Result<milliseconds> fit(const os::LoopDevice& device, int root);

 private:
  Status discard_if_freed(const os::BtrfsSpace& space, std::uint64_t backed, int root);
  Status resize(const os::LoopDevice& device, int root, std::uint64_t from, std::uint64_t to) const;
  Status allocate(std::uint64_t bytes) const;

  std::string path_;
  std::uint64_t most_;
  // The highest use since the last discard; nullopt before the first call.
  std::optional<std::uint64_t> used_before_;
  Deadline next_discard_ = Deadline::after(seconds(0));
};

}  // namespace sf::waypoint
