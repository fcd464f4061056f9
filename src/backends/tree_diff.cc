#include "backends/tree_diff.h"

#include <fcntl.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <string>

#include "backends/text_patch.h"

namespace sf::backends {
namespace {

using control::DiffKind;
using control::StateDifference;
using Facts = std::optional<struct stat>;

constexpr int kMaxDepth = 1000;
constexpr std::size_t kBlock = 64U << 10U;
// OverlayFS attributes of a directory that hides or moves the lower directory of its path.
constexpr const char* kMarks[] = {"trusted.overlay.opaque", "trusted.overlay.redirect"};

bool is_directory(const Facts& facts) { return facts && S_ISDIR(facts->st_mode); }

std::string kind_text(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "directory";
  if (S_ISLNK(mode)) return "link";
  if (S_ISFIFO(mode)) return "pipe";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

bool same_inode(const struct stat& a, const struct stat& b) {
  // Copied files keep their inodes. A program cannot set ctime, and a checkpoint takes longer than
  // the clock's resolution.
  return a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_ctim.tv_sec == b.st_ctim.tv_sec &&
         a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

bool same_attributes(const struct stat& a, const struct stat& b) {
  return a.st_mode == b.st_mode && a.st_uid == b.st_uid && a.st_gid == b.st_gid &&
         a.st_rdev == b.st_rdev;
}

std::string read_block(int fd, std::size_t size) {
  std::string block(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    ssize_t n = ::read(fd, block.data() + got, size - got);
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  block.resize(got);
  return block;
}

bool same_content(const os::InRoot& a, const os::InRoot& b, const std::string& path) {
  auto fa = a.open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  auto fb = b.open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fa || !fb) return false;
  for (;;) {
    std::string block = read_block(fa->get(), kBlock);
    if (block != read_block(fb->get(), kBlock)) return false;
    if (block.empty()) return true;
  }
}

class TreeDiff {
 public:
  TreeDiff(const FileSide& from, const FileSide& to, const TreeDiffLimits& limits,
           control::StateDiff& diff)
      : from_(from), to_(to), limits_(limits), diff_(diff) {
    Facts top = look(from_.root, "/");
    device_from_ = top ? top->st_dev : 0;
    top = look(to_.root, "/");
    device_to_ = top ? top->st_dev : 0;
  }

  // Requires: the path is a directory on both sides.
  void compare_directory(const std::string& path, bool everything, int depth) {
    everything = everything || is_marked(from_, path) || is_marked(to_, path);
    std::set<std::string> names;
    for (const FileSide* side : {&from_, &to_}) {
      auto found = (everything ? side->root : side->changed).list(path);
      if (found) names.insert(found->begin(), found->end());
    }
    for (const std::string& name : names) {
      if (full()) return;
      visit(path == "/" ? "/" + name : path + "/" + name, everything, depth + 1);
    }
  }

 private:
  static Facts look(const os::InRoot& root, const std::string& path) {
    auto info = root.look(path);
    return info ? Facts(*info) : std::nullopt;
  }

  static bool is_marked(const FileSide& side, const std::string& path) {
    for (const char* mark : kMarks) {
      if (side.changed.has_attribute(path, mark)) return true;
    }
    return false;
  }

  bool full() {
    if (diff_.differences.size() < limits_.differences) return false;
    diff_.truncated = true;
    return true;
  }

  void visit(const std::string& path, bool everything, int depth) {
    if (depth > kMaxDepth) {
      diff_.truncated = true;
      return;
    }
    Facts a = look(from_.root, path);
    Facts b = look(to_.root, path);
    if (is_directory(a) && a->st_dev != device_from_) a.reset();  // a mount point
    if (is_directory(b) && b->st_dev != device_to_) b.reset();
    if (!a && !b) return;
    if (!a || !b) {
      add(path, a ? DiffKind::kRemoved : DiffKind::kAdded, a, b);
    } else if (differs(path, *a, *b)) {
      add(path, DiffKind::kChanged, a, b);
    }
    if (!is_directory(a) && !is_directory(b)) return;
    // If one side is not a directory, all files below it differ.
    compare_directory(path, everything || !is_directory(a) || !is_directory(b), depth);
  }

  bool differs(const std::string& path, const struct stat& a, const struct stat& b) const {
    if (!same_attributes(a, b)) return true;
    if (S_ISLNK(a.st_mode)) return link_target(from_, path) != link_target(to_, path);
    if (!S_ISREG(a.st_mode) || same_inode(a, b)) return false;
    return a.st_size != b.st_size || !same_content(from_.root, to_.root, path);
  }

  static std::string link_target(const FileSide& side, const std::string& path) {
    auto target = side.root.read_link(path);
    return target ? *target : std::string();
  }

  static std::string describe(const FileSide& side, const std::string& path, const Facts& facts) {
    if (!facts) return {};
    if (S_ISLNK(facts->st_mode)) return "link to " + link_target(side, path);
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", facts->st_mode & 07777U);
    std::string text = kind_text(facts->st_mode) + ", mode " + mode + ", owner " +
                       std::to_string(facts->st_uid) + ":" + std::to_string(facts->st_gid);
    if (S_ISREG(facts->st_mode)) text += ", " + std::to_string(facts->st_size) + " bytes";
    return text;
  }

  void add(const std::string& path, DiffKind kind, const Facts& a, const Facts& b) {
    StateDifference difference{.kind = kind, .name = path};
    difference.before = describe(from_, path, a);
    difference.after = describe(to_, path, b);
    difference.patch = patch(path, a, b);
    diff_.differences.push_back(std::move(difference));
  }

  std::string patch(const std::string& path, const Facts& a, const Facts& b) {
    std::optional<std::string> before = text_of(from_, path, a);
    std::optional<std::string> after = text_of(to_, path, b);
    if (!before || !after) return {};
    std::string text = unified_patch(*before, *after);
    if (text.empty()) return {};
    text = "--- " + (a ? path : std::string("/dev/null")) + "\n+++ " +
           (b ? path : std::string("/dev/null")) + "\n" + text;
    if (text.size() > limits_.patches - patched_) return {};
    patched_ += text.size();
    return text;
  }

  // Empty if the file does not exist; nullopt if it is not text.
  std::optional<std::string> text_of(const FileSide& side, const std::string& path,
                                     const Facts& facts) const {
    if (!facts) return std::string();
    if (!S_ISREG(facts->st_mode)) return std::nullopt;
    auto content = side.root.read(path, limits_.patch_file);
    if (!content || !is_text(*content)) return std::nullopt;
    return std::move(*content);
  }

  const FileSide& from_;
  const FileSide& to_;
  const TreeDiffLimits& limits_;
  control::StateDiff& diff_;
  dev_t device_from_ = 0;
  dev_t device_to_ = 0;
  std::size_t patched_ = 0;
};

}  // namespace

void compare_trees(const FileSide& from, const FileSide& to, const TreeDiffLimits& limits,
                   control::StateDiff& diff) {
  TreeDiff(from, to, limits, diff).compare_directory("/", false, 0);
}

}  // namespace sf::backends
