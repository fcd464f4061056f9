// BtrfsImage: the sparse file that holds the store's file system, sized after the room that its
// host has (image_plan.h). What the file system no longer uses goes back to the host.
//
// One caller at a time; the file system may be used by any process meanwhile.
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
  // `most`: what the file system may grow to.
  BtrfsImage(std::string path, std::uint64_t most) : path_(std::move(path)), most_(most) {}

  // Makes a new file with an empty file system, which is small at first.
  Status create() const;
  // Looks and acts once. `root` is any file of the mounted file system. Returns how soon the next
  // look is due.
  Result<milliseconds> fit(const os::LoopDevice& device, int root);

 private:
  Status discard_if_freed(const os::BtrfsSpace& space, std::uint64_t backed, int root);
  Status resize(const os::LoopDevice& device, int root, std::uint64_t from, std::uint64_t to) const;
  Status allocate(std::uint64_t bytes) const;

  std::string path_;
  std::uint64_t most_;
  // The highest since the last discard. Nothing: what was freed before the first look is not known.
  std::optional<std::uint64_t> used_before_;
  Deadline next_discard_ = Deadline::after(seconds(0));
};

}  // namespace sf::waypoint
