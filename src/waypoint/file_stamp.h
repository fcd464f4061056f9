// FileStamp: proves that no file of a directory tree was changed between two moments.
//
// Equal stamps mean: the same names, and for each name the same inode, type, mode, owner, links,
// size and time of change. Every change of a file moves its time of change (ctime), but two changes
// within one tick of the kernel's clock may share it (ChangeTimes). So the first of two stamps is
// only good proof if shows_later_changes().
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/host_info.h"

namespace sf::waypoint {

// How finely a file's time of change tells two changes apart.
enum class ChangeTimes {
  kCoarse,  // by ticks of the clock
  kFine,    // a change after the file was looked at has another time than the one before
};
// kFine from Linux 6.13 on, where the file system takes part. `file_system`: statfs::f_type. Pure.
ChangeTimes change_times(const os::KernelVersion& kernel, long file_system);
// The kernel's coarse clock is never older than this.
inline constexpr long kCoarseTickNs = 20'000'000;
// Whether the time of change of a file would tell a change made at `looked_ns` or later from the
// one made at `changed_ns`. Pure.
bool shows_later_change(long changed_ns, long looked_ns, ChangeTimes times);

class FileStamp {
 public:
  // Nothing: the tree has more than `max_entries` files, or cannot be read.
  static std::optional<FileStamp> of(const std::string& directory, std::size_t max_entries);

  // The stamp of a tree that `copy` copies: the copy has what the stamp says. kUnsupported: as
  // nothing above. kBusy: a file was changed before the copy was done, or so lately that its next
  // change might not show. An error of `copy` is returned as it is.
  static Result<FileStamp> around(const std::function<Status()>& copy, const std::string& directory,
                                  std::size_t max_entries);

  const std::string& digest() const { return digest_; }
  long newest_change_ns() const { return newest_change_ns_; }  // since the epoch
  // Whether a file that is changed from now on gives another stamp.
  bool shows_later_changes() const {
    return shows_later_change(newest_change_ns_, looked_ns_, times_);
  }
  bool operator==(const FileStamp& other) const { return digest_ == other.digest_; }

 private:
  std::string digest_;
  long newest_change_ns_ = 0;
  long looked_ns_ = 0;  // before the first file was looked at
  ChangeTimes times_ = ChangeTimes::kCoarse;
};

}  // namespace sf::waypoint
