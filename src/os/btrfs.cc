#include "os/btrfs.h"

#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "os/error.h"
#include "os/file.h"

namespace sf::os {
namespace {

template <std::size_t N>
Status set_name(char (&field)[N], const std::string& name) {
  if (name.size() >= N) return invalid("subvolume name is too long: " + name);
  std::memcpy(field, name.c_str(), name.size() + 1);
  return Ok{};
}

constexpr std::uint64_t kDevice = 1;  // of the file system's only device

Result<std::uint64_t> used_bytes(int fd) {
  btrfs_ioctl_space_args count{};
  if (::ioctl(fd, BTRFS_IOC_SPACE_INFO, &count) != 0) return last_error("reading the used space");
  constexpr std::uint64_t kMore = 8;  // slots for kinds of space that appear between the two calls
  const std::size_t slots = count.total_spaces + kMore;
  std::vector<std::uint64_t> buffer(
      (sizeof(btrfs_ioctl_space_args) + slots * sizeof(btrfs_ioctl_space_info)) /
      sizeof(std::uint64_t));
  auto* args = reinterpret_cast<btrfs_ioctl_space_args*>(buffer.data());
  args->space_slots = slots;
  if (::ioctl(fd, BTRFS_IOC_SPACE_INFO, args) != 0) return last_error("reading the used space");
  std::uint64_t used = 0;
  for (std::uint64_t i = 0; i < args->total_spaces; ++i) {
    const btrfs_ioctl_space_info& space = args->spaces[i];
    if ((space.flags & BTRFS_SPACE_INFO_GLOBAL_RSV) != 0) continue;  // counted in the metadata
    used += space.used_bytes * ((space.flags & BTRFS_BLOCK_GROUP_DUP) != 0 ? 2 : 1);
  }
  return used;
}

// The device tree has one item per device extent, that is, per part of the device in use by a
// chunk.
Result<std::uint64_t> end_of_chunks(int fd) {
  btrfs_ioctl_search_args args{};
  btrfs_ioctl_search_key& key = args.key;
  key.tree_id = BTRFS_DEV_TREE_OBJECTID;
  key.min_objectid = key.max_objectid = kDevice;
  key.min_type = key.max_type = BTRFS_DEV_EXTENT_KEY;
  key.max_offset = ~0ULL;
  key.max_transid = ~0ULL;
  std::uint64_t end = 0;
  for (;;) {
    key.nr_items = 4096;  // as many as fit
    if (::ioctl(fd, BTRFS_IOC_TREE_SEARCH, &args) != 0) return last_error("listing chunks");
    if (key.nr_items == 0) return end;
    const char* at = args.buf;
    for (std::uint32_t i = 0; i < key.nr_items; ++i) {
      btrfs_ioctl_search_header header{};
      std::memcpy(&header, at, sizeof header);
      btrfs_dev_extent extent{};
      std::memcpy(&extent, at + sizeof header, std::min<std::size_t>(header.len, sizeof extent));
      end = std::max<std::uint64_t>(
          end, header.offset + extent.length);  // little-endian, as is this machine
      key.min_offset = header.offset + 1;
      at += sizeof header + header.len;
    }
  }
}

}  // namespace

Status create_subvolume(int parent_fd, const std::string& name) {
  btrfs_ioctl_vol_args_v2 args{};
  SF_TRY(set_name(args.name, name));
  if (::ioctl(parent_fd, BTRFS_IOC_SUBVOL_CREATE_V2, &args) != 0)
    return last_error("creating subvolume " + name);
  return Ok{};
}

Status snapshot_subvolume(int source_fd, int parent_fd, const std::string& name) {
  btrfs_ioctl_vol_args_v2 args{};
  args.fd = source_fd;
  SF_TRY(set_name(args.name, name));
  if (::ioctl(parent_fd, BTRFS_IOC_SNAP_CREATE_V2, &args) != 0)
    return last_error("taking snapshot " + name);
  return Ok{};
}

Result<long> subvolume_created_ns(int fd) {
  btrfs_ioctl_get_subvol_info_args info{};
  if (::ioctl(fd, BTRFS_IOC_GET_SUBVOL_INFO, &info) != 0)
    return last_error("reading the creation time of a subvolume");
  return static_cast<long>(info.otime.sec) * 1'000'000'000L + static_cast<long>(info.otime.nsec);
}

Status delete_subvolume(int parent_fd, const std::string& name) {
  btrfs_ioctl_vol_args args{};
  SF_TRY(set_name(args.name, name));
  if (::ioctl(parent_fd, BTRFS_IOC_SNAP_DESTROY, &args) != 0 && errno != ENOENT)
    return last_error("deleting subvolume " + name);
  return Ok{};
}

Status limit_unwritten(int fd, std::uint64_t bytes) {
  btrfs_ioctl_fs_info_args info{};
  if (::ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0) return last_error("reading the file system's id");
  std::string id;
  for (std::size_t i = 0; i < sizeof info.fsid; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", info.fsid[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
    id += digits;
  }
  std::string device = "/sys/fs/btrfs/" + id + "/bdi/";
  SF_TRY(write_file(device + "strict_limit", "1"));
  return write_file(device + "max_bytes", std::to_string(bytes));
}

Result<BtrfsSpace> btrfs_space(int fd) {
  btrfs_ioctl_dev_info_args device{};
  device.devid = kDevice;
  if (::ioctl(fd, BTRFS_IOC_DEV_INFO, &device) != 0) return last_error("reading the device's size");
  BtrfsSpace space{.size = device.total_bytes};
  SF_TRY_ASSIGN(space.used, used_bytes(fd));
  SF_TRY_ASSIGN(space.chunk_end, end_of_chunks(fd));
  return space;
}

Status resize_btrfs(int fd, std::uint64_t bytes) {
  btrfs_ioctl_vol_args args{};
  SF_TRY(set_name(args.name, std::to_string(kDevice) + ":" + std::to_string(bytes)));
  if (::ioctl(fd, BTRFS_IOC_RESIZE, &args) != 0)
    return last_error("resizing the file system to " + std::to_string(bytes) + " bytes");
  return Ok{};
}

bool is_read_only(int fd) {
  struct statvfs info {};
  return ::fstatvfs(fd, &info) == 0 && (info.f_flag & ST_RDONLY) != 0;
}

Status discard_unused(int fd) {
  fstrim_range range{};
  range.len = ~0ULL;
  if (::ioctl(fd, FITRIM, &range) != 0) return last_error("discarding unused space");
  return Ok{};
}

}  // namespace sf::os
