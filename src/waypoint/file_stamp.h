// FileStamp: proves that no file of a directory tree was changed between two moments.
//
// Equal stamps mean: the same names, and for each name the same inode, type, mode, owner, links,
// size and change time (ctime). Every change of a file sets its ctime, but two changes within one
// tick of the kernel's clock may get the same ctime (ChangeTimes). So the first stamp is a proof
// only if shows_later_changes() is true for it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/host_info.h"

namespace sf::waypoint {

// The granularity of change times.
enum class ChangeTimes {
  kCoarse,  // one clock tick
  kFine,    // a change after a stat() always gets another time
};
// kFine from Linux 6.13 on, if the file system supports it. `file_system`: statfs::f_type. Pure.
ChangeTimes change_times(const os::KernelVersion& kernel, long file_system);
// The maximum age of the kernel's coarse clock.
inline constexpr long kCoarseTickNs = 20'000'000;
// Whether a change made at `looked_ns` or later gets another ctime than a change made at
// `changed_ns`. Pure.
bool shows_later_change(long changed_ns, long looked_ns, ChangeTimes times);

class FileStamp {
 public:
  // nullopt if the tree has more than `max_entries` files, or cannot be read.
  static std::optional<FileStamp> of(const std::string& directory, std::size_t max_entries);

  // Returns the stamp of a tree that `copy` copies. The copy contains exactly the stamped state.
  // Fails with kUnsupported if of() returns nullopt. Fails with kBusy if a file was changed before
  // the copy was done, or too recently to detect its next change. Errors of `copy` are returned
  // unchanged.
  static Result<FileStamp> around(const std::function<Status()>& copy, const std::string& directory,
                                  std::size_t max_entries);

  const std::string& digest() const { return digest_; }
  long newest_change_ns() const { return newest_change_ns_; }  // since the epoch
  // Whether every later change of a file gives another stamp.
  bool shows_later_changes() const {
    return shows_later_change(newest_change_ns_, looked_ns_, times_);
  }
  bool operator==(const FileStamp& other) const { return digest_ == other.digest_; }

 private:
  std::string digest_;
  long newest_change_ns_ = 0;
  long looked_ns_ = 0;  // before the first file was read
  ChangeTimes times_ = ChangeTimes::kCoarse;
};

}  // namespace sf::waypoint
