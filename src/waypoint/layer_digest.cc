#include "waypoint/layer_digest.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/word_digest.h"
#include "os/btrfs.h"
#include "os/error.h"
#include "os/fd.h"
#include "os/file.h"
#include "waypoint/file_stamp.h"

namespace sf::waypoint {
namespace {

constexpr int kMaxDepth = 256;
constexpr std::size_t kMaxAttributes = 64U << 10U;

Error too_much(const std::string& what) {
  return fail(ErrorCode::kUnsupported, "the branch changed too much to compare: " + what);
}

// Attributes that refer to inodes or mounts differ between two copies of the same state.
bool is_kept(std::string_view attribute) {
  if (!attribute.starts_with("trusted.overlay.")) return true;
  attribute.remove_prefix(std::strlen("trusted.overlay."));
  return attribute == "opaque" || attribute == "redirect" || attribute == "metacopy" ||
         attribute == "whiteout";
}

// A directory in one of the two trees; empty if the tree does not have it.
class Side {
 public:
  static Result<Side> open(int parent, const std::string& name) {
    os::UniqueFd fd(::openat(parent, name.c_str(),
                             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC));
    if (!fd.valid()) return os::last_error("opening " + name);
    return Side(std::move(fd));
  }
  int fd() const { return fd_.get(); }

  Result<std::set<std::string>> names() const {
    os::UniqueFd copy(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_NOATIME | O_CLOEXEC));
    if (!copy.valid()) return os::last_error("listing a directory");
    SF_TRY_ASSIGN(std::vector<std::string> listed,
                  os::list_directory(std::move(copy), "a directory"));
    return std::set<std::string>(listed.begin(), listed.end());
  }

  std::optional<struct stat> look(const std::string& name) const {
    struct stat file {};
    if (::fstatat(fd_.get(), name.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    return file;
  }

 private:
  explicit Side(os::UniqueFd fd) : fd_(std::move(fd)) {}
  os::UniqueFd fd_;
};

// The first path seen of each file with several names. Walks are in the order of names.
using FirstPaths = std::unordered_map<ino_t, std::string>;

class LayerWalk {
 public:
  // `base_taken_ns`: the time when the base was taken; nullopt if unknown.
  LayerWalk(const DigestLimits& limits, std::optional<long> base_taken_ns)
      : limits_(limits),
        deadline_(Deadline::after(limits.max_time)),
        base_taken_ns_(base_taken_ns) {}

  std::string digest() const { return digest_.hex(); }

  // The top directories are the branch's `/`.
  Status add_top(const Side& live, const Side& base) {
    std::optional<struct stat> now = live.look(".");
    std::optional<struct stat> then = base.look(".");
    if (!now || !then) return os::last_error("looking at the branch's files");
    SF_TRY_ASSIGN(std::string described, describe(live, ".", *now, {}));
    SF_TRY_ASSIGN(std::string before, describe(base, ".", *then, {}));
    if (described != before) digest_.add("/").add(described);
    return Ok{};
  }

  Status walk(const Side& live, const Side* base, const std::string& path, int depth) {
    if (depth > kMaxDepth) return too_much("directories are nested too deep");
    SF_TRY_ASSIGN(std::set<std::string> names, live.names());
    if (base != nullptr) {
      SF_TRY_ASSIGN(std::set<std::string> before, base->names());
      for (const std::string& name : before) {
        if (!names.contains(name)) digest_.add("gone").add(path + "/" + name);
      }
    }
    for (const std::string& name : names) {
      SF_TRY(count_file());
      SF_TRY(add(live, base, path, name, depth));
    }
    return Ok{};
  }

 private:
  Status add(const Side& live, const Side* base, const std::string& path, const std::string& name,
             int depth) {
    std::optional<struct stat> now = live.look(name);
    if (!now) return fail(ErrorCode::kUnsupported, "a file changed during the comparison");
    std::optional<struct stat> then = base == nullptr ? std::nullopt : base->look(name);
    const std::string at = path + "/" + name;
    // Also for unchanged files, since changed names may be links to them.
    const std::string linked = first_path(live_links_, *now, at);
    const std::string was_linked = then ? first_path(base_links_, *then, at) : "";
    const bool is_directory = S_ISDIR(now->st_mode);
    const bool was_directory = then && S_ISDIR(then->st_mode);
    if (!is_directory && then && is_same_file(*now, *then)) return Ok{};
    SF_TRY_ASSIGN(std::string described, describe(live, name, *now, linked));
    std::string before;
    if (then) {
      SF_TRY_ASSIGN(before, describe(*base, name, *then, was_linked));
    }
    if (described != before) digest_.add(at).add(described);
    if (!is_directory) return Ok{};
    SF_TRY_ASSIGN(Side below, Side::open(live.fd(), name));
    std::optional<Side> base_below;
    if (was_directory) {
      SF_TRY_ASSIGN(base_below, Side::open(base->fd(), name));
    }
    return walk(below, base_below ? &*base_below : nullptr, at, depth + 1);
  }

  // The same string for all names of one file; empty if it has one name. Whiteouts are left out:
  // the kernel shares one inode among several of them.
  static std::string first_path(FirstPaths& seen, const struct stat& file,
                                const std::string& path) {
    const bool is_whiteout = S_ISCHR(file.st_mode) && file.st_rdev == 0;
    if (S_ISDIR(file.st_mode) || is_whiteout || file.st_nlink < 2) return {};
    return seen.try_emplace(file.st_ino, path).first->second;
  }

  // The base was copied without a stat() of its files, so its change times are coarse on every
  // kernel.
  bool is_same_file(const struct stat& now, const struct stat& then) const {
    const long changed = then.st_ctim.tv_sec * 1'000'000'000L + then.st_ctim.tv_nsec;
    return now.st_ino == then.st_ino && now.st_mode == then.st_mode &&
           now.st_size == then.st_size && now.st_ctim.tv_sec == then.st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == then.st_ctim.tv_nsec && base_taken_ns_ &&
           shows_later_change(changed, *base_taken_ns_, ChangeTimes::kCoarse);
  }

  Result<std::string> describe(const Side& side, const std::string& name, const struct stat& file,
                               const std::string& linked) {
    Digest facts;
    facts.add(std::to_string(file.st_mode));
    facts.add(std::to_string(file.st_uid) + ":" + std::to_string(file.st_gid));
    facts.add(linked);
    const std::string path = os::fd_path(side.fd()) + "/" + name;
    if (S_ISREG(file.st_mode)) {
      facts.add(std::to_string(file.st_nlink));
      SF_TRY_ASSIGN(std::string content, hash_content(side, name, file));
      facts.add(content);
    } else if (S_ISLNK(file.st_mode)) {
      SF_TRY_ASSIGN(std::string target, os::read_link(path));
      facts.add(target);
    } else if (!S_ISDIR(file.st_mode)) {
      facts.add(std::to_string(file.st_rdev));
    }
    SF_TRY(add_attributes(facts, path));
    return facts.hex();
  }

  static Status add_attributes(Digest& facts, const std::string& path) {
    std::string listed(kMaxAttributes, '\0');
    const ssize_t size = ::llistxattr(path.c_str(), listed.data(), listed.size());
    if (size < 0 && errno == ENOTSUP) return Ok{};
    if (size < 0) return os::last_error("listing attributes");
    std::set<std::string> names;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);
         at += std::strlen(&listed[at]) + 1) {
      if (is_kept(&listed[at])) names.emplace(&listed[at]);
    }
    for (const std::string& name : names) {
      std::string value(kMaxAttributes, '\0');
      const ssize_t length = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
      if (length < 0) return os::last_error("reading attribute " + name);
      facts.add(name).add(std::string_view(value).substr(0, static_cast<std::size_t>(length)));
    }
    return Ok{};
  }

  // WordDigest is faster than Digest for long contents.
  Result<std::string> hash_content(const Side& side, const std::string& name,
                                   const struct stat& file) {
    bytes_ += static_cast<std::uint64_t>(file.st_size);
    if (bytes_ > limits_.max_bytes)
      return too_much("more than " + std::to_string(limits_.max_bytes >> 20U) + " MiB");
    os::UniqueFd fd(
        ::openat(side.fd(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC));
    if (!fd.valid()) return os::last_error("opening " + name);
    if (buffer_.empty()) buffer_.resize(kBuffer);
    WordDigest words;
    std::uint64_t total = 0;
    for (;;) {
      SF_TRY(check_time());
      const ssize_t n = ::read(fd.get(), buffer_.data(), buffer_.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return os::last_error("reading " + name);
      if (n == 0) break;
      words.add({buffer_.data(), static_cast<std::size_t>(n)});
      total += static_cast<std::uint64_t>(n);
    }
    return words.hex() + ":" + std::to_string(total);
  }

  Status count_file() {
    if (++files_ > limits_.max_files)
      return too_much("more than " + std::to_string(limits_.max_files) + " files");
    return files_ % 64 == 0 ? check_time() : Ok{};
  }
  Status check_time() const {
    if (!deadline_.passed()) return Ok{};
    return too_much("it takes longer than " + std::to_string(limits_.max_time.count()) + " ms");
  }

  static constexpr std::size_t kBuffer = 256U << 10U;

  const DigestLimits& limits_;
  Deadline deadline_;
  std::optional<long> base_taken_ns_;
  Digest digest_;
  FirstPaths live_links_;
  FirstPaths base_links_;
  std::size_t files_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<char> buffer_;
};

}  // namespace

Result<std::string> digest_layer(const std::string& layer, const std::string& base,
                                 const DigestLimits& limits) {
  SF_TRY_ASSIGN(Side live, Side::open(AT_FDCWD, layer));
  SF_TRY_ASSIGN(Side before, Side::open(AT_FDCWD, base));
  std::optional<long> taken;
  if (auto created = os::subvolume_created_ns(before.fd())) taken = *created;
  LayerWalk walk(limits, taken);
  SF_TRY(walk.add_top(live, before));
  SF_TRY(walk.walk(live, &before, "", 0));
  return walk.digest();
}

}  // namespace sf::waypoint
