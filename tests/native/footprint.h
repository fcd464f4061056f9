// What a store with live branches occupies on the host: to be the same after ten thousand
// snapshots.
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
  std::size_t namespaces = 0;  // of those processes
  std::size_t mounts = 0;      // of this process
  std::size_t cgroups = 0;     // of keepers that the store has or had
  std::uint64_t images = 0;    // bytes of the store, files of branches excepted
  std::uint64_t files = 0;     // bytes used where those are kept
  std::uint64_t disk = 0;      // of the host's, with what btrfs has yet to give back
};

// `keepers`: names of all there ever were. `files`: a path where the files of branches are kept.
Result<Footprint> footprint_of(const std::string& store, const std::set<std::string>& keepers,
                               const std::string& files);
std::string to_line(const Footprint& footprint);

}  // namespace sf::waypoint
