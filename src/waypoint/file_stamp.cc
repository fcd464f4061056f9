#include "waypoint/file_stamp.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <vector>

#include "base/digest.h"
#include "os/fd.h"

namespace sf::waypoint {
namespace {

constexpr int kMaxDepth = 512;  // deeper trees would need too many descriptors
constexpr long kXfsMagic = 0x58465342;

long nanoseconds_of(const timespec& t) { return t.tv_sec * 1'000'000'000L + t.tv_nsec; }

ChangeTimes change_times_at(const std::string& directory) {
  struct statfs location {};
  auto kernel = os::parse_kernel_version(os::kernel_release());
  if (!kernel || ::statfs(directory.c_str(), &location) != 0) return ChangeTimes::kCoarse;
  return change_times(*kernel, static_cast<long>(location.f_type));
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

class Walk {
 public:
  explicit Walk(std::size_t max_entries) : left_(max_entries) {}

  bool enter(int parent, const char* name, int depth) {
    if (depth > kMaxDepth) return false;
    const int fd =
        ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC);
    if (fd < 0) return false;
    std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(fd));
    if (!directory) {
      ::close(fd);
      return false;
    }
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(directory.get())) {
      std::string_view found = entry->d_name;
      if (found != "." && found != "..") names.emplace_back(found);
    }
    if (names.size() > left_) return false;
    left_ -= names.size();
    std::ranges::sort(names);
    for (const std::string& each : names) {
      struct stat file {};
      if (::fstatat(fd, each.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0) return false;
      add(each, file);
      if (S_ISDIR(file.st_mode) && !enter(fd, each.c_str(), depth + 1)) return false;
    }
    digest_.add("");  // the end of this directory
    return true;
  }

  void add(std::string_view name, const struct stat& file) {
    const std::array<unsigned long, 9> facts = {
        file.st_ino,
        file.st_mode,
        file.st_uid,
        file.st_gid,
        file.st_nlink,
        file.st_rdev,
        static_cast<unsigned long>(file.st_size),
        static_cast<unsigned long>(nanoseconds_of(file.st_ctim)),
        static_cast<unsigned long>(nanoseconds_of(file.st_atim)),
    };
    digest_.add(name).add({reinterpret_cast<const char*>(facts.data()), sizeof facts});
    newest_ = std::max(newest_, nanoseconds_of(file.st_ctim));
  }

  std::string digest() const { return digest_.hex(); }
  long newest() const { return newest_; }

 private:
  Digest digest_;
  std::size_t left_;
  long newest_ = 0;
};

}  // namespace

ChangeTimes change_times(const os::KernelVersion& kernel, long file_system) {
  const bool takes_part = file_system == BTRFS_SUPER_MAGIC || file_system == EXT4_SUPER_MAGIC ||
                          file_system == TMPFS_MAGIC || file_system == kXfsMagic;
  const bool is_new = kernel >= os::KernelVersion{6, 13};
  return is_new && takes_part ? ChangeTimes::kFine : ChangeTimes::kCoarse;
}

bool shows_later_change(long changed_ns, long looked_ns, ChangeTimes times) {
  return times == ChangeTimes::kFine || looked_ns - changed_ns >= kCoarseTickNs;
}

std::optional<FileStamp> FileStamp::of(const std::string& directory, std::size_t max_entries) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  struct stat top {};
  Walk walk(max_entries);
  if (::lstat(directory.c_str(), &top) != 0) return std::nullopt;
  walk.add("", top);
  if (!walk.enter(AT_FDCWD, directory.c_str(), 0)) return std::nullopt;
  FileStamp stamp;
  stamp.digest_ = walk.digest();
  stamp.newest_change_ns_ = walk.newest();
  stamp.looked_ns_ = nanoseconds_of(now);
  stamp.times_ = change_times_at(directory);
  return stamp;
}

Result<FileStamp> FileStamp::around(const std::function<Status()>& copy,
                                    const std::string& directory, std::size_t max_entries) {
  auto too_many = [] {
    return fail(ErrorCode::kUnsupported,
                "the branch changed too many files to detect later changes");
  };
  // Take the stamp before the copy: a stamp taken afterwards could include a change that the copy
  // lacks.
  std::optional<FileStamp> before = of(directory, max_entries);
  if (!before) return too_many();
  if (!before->shows_later_changes())
    return fail(ErrorCode::kBusy, "a file was changed too recently to detect its next change");
  SF_TRY(copy());
  const std::optional<FileStamp> after = of(directory, max_entries);
  if (!after) return too_many();
  if (*after != *before)
    return fail(ErrorCode::kBusy, "a file was changed while the files were copied");
  return *before;
}

}  // namespace sf::waypoint
