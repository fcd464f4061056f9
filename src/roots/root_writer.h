// RootWriter: makes the members of archives below a directory, and nowhere else. Every path is
// looked up as a process with that directory as its root would (openat2 with RESOLVE_IN_ROOT), so
// that links which an archive brings lead nowhere but into it. Layers replace and hide what the
// layers below them have. Needs root: owners and attributes are the archive's.
//
// Devices are not made: sessions have a /dev of their own, and a disk's node would be a way out.
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
  std::uint64_t max_bytes = 64ULL << 30U;  // of content; holes cost nothing
  std::uint64_t max_entries = 10'000'000;
};

struct UnpackReport {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t skipped_devices = 0;  // and whatever else is no file, directory, link or pipe
  std::uint64_t skipped_attributes =
      0;  // that are not for archives to set, or that do not fit here
};

class RootWriter {
 public:
  // Requires: `root` is a directory that nobody else changes meanwhile.
  static Result<RootWriter> open(const std::string& root, const UnpackLimits& limits);

  // What is there now belongs to the layers below.
  void begin_layer() { made_.clear(); }
  // Makes the member at `path`, which path_in_root() made; its content comes from `data`.
  Status add(const std::string& path, const TarEntry& entry, TarReader& data);
  // Removes what layers below have there, and leaves what this layer made. Nothing there is fine.
  Status hide(const std::string& directory, const std::string& name);
  Status hide_all_in(const std::string& directory);
  // With everything in place: directories get their times.
  Status finish();
  const UnpackReport& report() const { return report_; }

 private:
  struct Location {  // a name in a directory
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
  std::set<std::pair<ino_t, std::string>> made_;  // by this layer: directory and name
  std::set<std::string> skipped_;                 // devices, and their other names
  std::map<std::string, timespec> directory_times_;
};

}  // namespace sf::roots
