// FileStamp: proves that no file of a directory tree was changed between two moments.
//
// Equal stamps mean: the same names, and for each name the same inode, type, mode, owner, links,
// size and time of change. Every change of a file moves its time of change (ctime). Two changes
// within one tick of the kernel's clock may share it before Linux 6.13, so the first stamp is only
// good proof if no file was changed within that tick; newest_change() tells.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace sf::waypoint {

class FileStamp {
 public:
  // Nothing: the tree has more than `max_entries` files, or cannot be read.
  static std::optional<FileStamp> of(const std::string& directory, std::size_t max_entries);

  const std::string& digest() const { return digest_; }
  long newest_change_ns() const { return newest_change_ns_; }  // since the epoch
  bool operator==(const FileStamp& other) const { return digest_ == other.digest_; }

 private:
  std::string digest_;
  long newest_change_ns_ = 0;
};

}  // namespace sf::waypoint
