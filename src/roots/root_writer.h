// RootWriter: writes archive members below a directory, and nowhere else. It resolves every path as
// a process with that directory as its root would (openat2 with RESOLVE_IN_ROOT), so that a link in
// an archive cannot point outside. Layers replace and hide files of the layers below. Needs root,
// because it sets owners and attributes.
//
// Devices are skipped: sessions have their own /dev, and the node of a disk would break the
// isolation.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/in_root.h"
#include "roots/tar_reader.h"

namespace sf::roots {

struct UnpackLimits {
  std::uint64_t max_bytes = 64ULL << 30U;  // of content; holes do not count
  std::uint64_t max_entries = 10'000'000;
};

struct UnpackReport {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t skipped_devices = 0;     // also sockets and other special files
  std::uint64_t skipped_attributes = 0;  // not allowed, or not supported by the file system
};

class RootWriter {
 public:
  // Requires: no other process changes the directory `root` meanwhile.
  static Result<RootWriter> open(const std::string& root, const UnpackLimits& limits);

  // The existing files now belong to the lower layers.
  void begin_layer() { made_.clear(); }
  // Creates the member at `path`, which comes from path_in_root(), with the content of `data`.
  Status add(const std::string& path, const TarEntry& entry, TarReader& data);
  // Removes the file of the lower layers, and keeps that of this layer. Succeeds if there is none.
  Status hide(const std::string& directory, const std::string& name);
  Status hide_all_in(const std::string& directory);
  // Sets the times of directories. Called last.
  Status finish();
  const UnpackReport& report() const { return report_; }

 private:
  struct Location {  // a directory and a name in it
    os::UniqueFd directory;
    ino_t inode = 0;  // of the directory
    std::string name;
  };
  RootWriter(os::InRoot root, const UnpackLimits& limits)
      : root_(std::move(root)), limits_(limits) {}

  Result<Location> location_of(const std::string& path);
  Status make_parent(const std::string& path);
  Result<bool> is_skipped(const TarEntry& entry) const;
  Status make(const Location& location, const TarEntry& entry, TarReader& data);
  Status make_file(const Location& location, const TarEntry& entry, TarReader& data);
  Status make_hard_link(const Location& location, const TarEntry& entry) const;
  Status set_attributes(const Location& location, const TarEntry& entry);
  Status hide_below(int directory, ino_t inode, const std::string& name);
  Status hide_content(int directory);

  os::InRoot root_;
  UnpackLimits limits_;
  UnpackReport report_;
  std::set<std::pair<ino_t, std::string>> made_;  // of this layer: directory and name
  std::set<std::string> skipped_;                 // devices, and their other names
  std::map<std::string, timespec> directory_times_;
};

}  // namespace sf::roots
