#include "os/btrfs.h"

#include <linux/btrfs.h>
#include <sys/ioctl.h>

#include <cstdio>
#include <cstring>

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

Status delete_subvolume(int parent_fd, const std::string& name) {
  btrfs_ioctl_vol_args args{};
  SF_TRY(set_name(args.name, name));
  if (::ioctl(parent_fd, BTRFS_IOC_SNAP_DESTROY, &args) != 0 && errno != ENOENT)
    return last_error("deleting subvolume " + name);
  return Ok{};
}

Status limit_unwritten(int fd, std::uint64_t bytes) {
  btrfs_ioctl_fs_info_args info{};
  if (::ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0) return last_error("asking for the file system");
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

}  // namespace sf::os
