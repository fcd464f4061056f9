// The resources that a store with live branches uses on the host. They must not grow over ten
// thousand checkpoints.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/result.h"

namespace sf::waypoint {

struct Footprint {
  std::uint64_t manager_memory = 0;  // resident bytes of this process
  std::uint64_t keeper_memory = 0;   // of all keepers of the store
  std::size_t manager_descriptors = 0;
  std::size_t keeper_descriptors = 0;
  std::size_t keepers = 0;
  std::size_t processes = 0;   // keepers and everything below them
  std::size_t namespaces = 0;  // namespaces of these processes
  std::size_t mounts = 0;      // of this process
  std::size_t cgroups = 0;     // of current and former keepers of the store
  std::uint64_t images = 0;    // bytes of the store, without the files of branches
  std::uint64_t files = 0;     // bytes used by the files of branches
  std::uint64_t disk = 0;      // bytes on the host's disk, including space btrfs has yet to free
};

// `keepers`: names of all keepers, current and former. `files`: a path on the file system that
// holds the files of branches.
Result<Footprint> footprint_of(const std::string& store, const std::set<std::string>& keepers,
                               const std::string& files);
std::string to_line(const Footprint& footprint);

}  // namespace sf::waypoint
