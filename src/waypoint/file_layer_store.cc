#include "waypoint/file_layer_store.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "os/btrfs.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "os/loop_device.h"
#include "os/mount.h"
#include "waypoint/btrfs_image.h"

namespace sf::waypoint {
namespace {

constexpr const char* kImageName = "units.btrfs";
constexpr const char* kDirectoryName = "units";
constexpr std::uint64_t kMaxUnwritten = 64U << 20U;
// If btrfs cannot write metadata for lack of space on the host, it becomes read-only. With less
// free space than this, the store starts no operation that writes metadata.
constexpr std::uint64_t kLeastRoom = 2 * kMaxUnwritten;

Status make_file_layer_directories(const std::string& file_layer_path) {
  for (const char* part : {"/upper", "/work"}) {
    if (::mkdir((file_layer_path + part).c_str(), 0755) != 0)
      return os::last_error("creating " + file_layer_path + part);
  }
  return Ok{};
}

FileLayerPaths paths_below(const std::string& root, const std::string& file_layer) {
  return {root + "/" + file_layer + "/upper", root + "/" + file_layer + "/work"};
}

class BtrfsFileLayers : public FileLayerStore {
 public:
  BtrfsFileLayers(std::string image, std::uint64_t most, os::LoopDevice device, os::UniqueFd mount,
                  os::UniqueFd root)
      : image_(std::move(image)),
        fitted_(image_, most),
        device_(std::move(device)),
        mount_(std::move(mount)),
        root_(std::move(root)) {}

  std::string kind() const override { return "btrfs"; }
  Status attach(const std::string& mount_point) override {
    SF_TRY(os::attach_mount(mount_.get(), mount_point));
    path_ = mount_point;
    return Ok{};
  }
  FileLayerPaths paths(const std::string& file_layer) const override {
    return paths_below(path(), file_layer);
  }

  Status create(const std::string& file_layer) override {
    SF_TRY(os::create_subvolume(root_.get(), file_layer));
    return make_file_layer_directories(path() + "/" + file_layer);
  }
  Status copy(const std::string& from, const std::string& to) override {
    if (!has_room())
      return fail(ErrorCode::kNoSpace,
                  "the file system of " + image_ + " has less than 128 MB left");
    SF_TRY_ASSIGN(os::UniqueFd source, os::open_at(root_.get(), from, O_RDONLY | O_DIRECTORY));
    Status taken = os::snapshot_subvolume(source.get(), root_.get(), to);
    if (taken || taken.error().code != ErrorCode::kNoSpace) return taken;
    // On a full file system, most free metadata space is reserved for changes not yet written.
    flush();
    return os::snapshot_subvolume(source.get(), root_.get(), to);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return os::rename_path(path() + "/" + from, path() + "/" + to);
  }
  Status remove(const std::string& file_layer) override {
    return os::delete_subvolume(root_.get(), file_layer);
  }
  Result<std::vector<std::string>> list() const override { return os::list_directory(path()); }
  void flush() const override {
    if (has_room()) ::syncfs(root_.get());
  }
  Result<milliseconds> fit_to_host() override { return fitted_.fit(device_, root_.get()); }
  Status check_writable() const override {
    if (!os::is_read_only(root_.get())) return Ok{};
    return fail(ErrorCode::kNoSpace,
                "the file system in " + image_ + " is read-only after a write error",
                "make room on the file system of the store; the daemon then reopens it");
  }

 private:
  std::string path() const { return path_.empty() ? os::fd_path(root_.get()) : path_; }
  bool has_room() const {
    auto room = os::free_bytes(image_);
    return room && *room > kLeastRoom;
  }

  std::string image_;
  BtrfsImage fitted_;
  os::LoopDevice device_;
  os::UniqueFd mount_;  // detached: ends with the last process that holds it
  os::UniqueFd root_;   // its root directory
  std::string path_;
};

class CopiedFileLayers : public FileLayerStore {
 public:
  explicit CopiedFileLayers(std::string path) : path_(std::move(path)) {}

  std::string kind() const override { return "copy"; }
  Status attach(const std::string&) override { return Ok{}; }
  FileLayerPaths paths(const std::string& file_layer) const override {
    return paths_below(path_, file_layer);
  }
  Status create(const std::string& file_layer) override {
    SF_TRY(os::make_directories(path_ + "/" + file_layer));
    return make_file_layer_directories(path_ + "/" + file_layer);
  }
  Status copy(const std::string& from, const std::string& to) override {
    Status copied = os::copy_tree(path_ + "/" + from, path_ + "/" + to);
    if (!copied) (void)remove(to);
    return copied;
  }
  Status rename(const std::string& from, const std::string& to) override {
    return os::rename_path(path_ + "/" + from, path_ + "/" + to);
  }
  Status remove(const std::string& file_layer) override {
    return os::remove_tree(path_ + "/" + file_layer);
  }
  Result<std::vector<std::string>> list() const override { return os::list_directory(path_); }
  void flush() const override {}

 private:
  std::string path_;
};

Result<std::unique_ptr<FileLayerStore>> open_btrfs(const std::string& image, std::uint64_t most) {
  SF_TRY_ASSIGN(os::LoopDevice device, os::attach_loop(image));
  // No barriers and no checksums: fsync() in a branch has no effect (its overlay is volatile), and
  // a power failure ends all branches anyway. No automatic discard: BtrfsImage decides when to
  // return space to the host.
  SF_TRY_ASSIGN(os::UniqueFd mount, os::mount_detached("btrfs",
                                                       {{"source", device.path},
                                                        {"nodatasum", ""},
                                                        {"nobarrier", ""},
                                                        {"nodiscard", ""},
                                                        {"commit", "5"}},
                                                       MOUNT_ATTR_NOATIME));
  SF_TRY_ASSIGN(os::UniqueFd root, os::open_at(mount.get(), ".", O_RDONLY | O_DIRECTORY));
  // A snapshot waits until all dirty data is written, so bound the data that a command can leave
  // unwritten. If the kernel cannot (before 6.2) or sysfs is read-only, checkpoints after large
  // writes are slow.
  (void)os::limit_unwritten(root.get(), kMaxUnwritten);
  return std::unique_ptr<FileLayerStore>(
      new BtrfsFileLayers(image, most, std::move(device), std::move(mount), std::move(root)));
}

}  // namespace

Result<std::unique_ptr<FileLayerStore>> FileLayerStore::open(const std::string& store_dir,
                                                             const std::string& kind,
                                                             std::uint64_t bytes) {
  std::string image = store_dir + "/" + kImageName;
  std::string directory = store_dir + "/" + kDirectoryName;
  if (os::exists(image)) return open_btrfs(image, bytes);
  if (os::is_directory(directory))
    return std::unique_ptr<FileLayerStore>(new CopiedFileLayers(directory));
  if (kind != "copy") {
    Status made = BtrfsImage(image, bytes).create();
    if (made) {
      auto opened = open_btrfs(image, bytes);
      if (opened) return opened;
      ::unlink(image.c_str());
      made = std::move(opened).error();
    }
    if (kind == "btrfs")
      return std::move(made).error().while_doing("making the store's file system");
  }
  SF_TRY(os::make_directories(directory));
  return std::unique_ptr<FileLayerStore>(new CopiedFileLayers(directory));
}

Status prepare_copied_file_layer(const FileLayerPaths& file_layer) {
  // The mark work/work/incompat/volatile says "was mounted volatile, do not reuse". Reuse is safe:
  // the copy was made while no process ran.
  SF_TRY(os::remove_tree(file_layer.work + "/work"));
  // A file handle ties the index to its upper directory, and names the subvolume of the original.
  std::string index = file_layer.work + "/index";
  if (::removexattr(index.c_str(), "trusted.overlay.upper") != 0 && errno != ENODATA &&
      errno != ENOENT)
    return os::last_error("preparing " + index);
  return Ok{};
}

}  // namespace sf::waypoint
