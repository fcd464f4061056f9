#include "os/loop_device.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "os/error.h"
#include "os/file.h"

namespace sf::os {
namespace {

constexpr int kAttachTries = 32;  // another process may take the free device between the two calls

Result<LoopDevice> find_attached(const struct stat& image) {
  SF_TRY_ASSIGN(std::vector<std::string> blocks, list_directory("/sys/block"));
  for (const std::string& name : blocks) {
    if (!name.starts_with("loop") || !exists("/sys/block/" + name + "/loop/backing_file")) continue;
    auto device = open_file("/dev/" + name, O_RDWR);
    if (!device) continue;
    loop_info64 info{};
    if (::ioctl(device->get(), LOOP_GET_STATUS64, &info) != 0) continue;
    if (info.lo_inode == image.st_ino && info.lo_device == image.st_dev)
      return LoopDevice{std::move(*device), "/dev/" + name};
  }
  return fail(ErrorCode::kNotFound, "no loop device is attached to this file");
}

}  // namespace

Result<LoopDevice> attach_loop(const std::string& image_path) {
  SF_TRY_ASSIGN(UniqueFd image, open_file(image_path, O_RDWR));
  struct stat info {};
  if (::fstat(image.get(), &info) != 0) return last_error(image_path);
  if (auto found = find_attached(info); found) return found;

  auto control = open_file("/dev/loop-control", O_RDWR);
  if (!control) return std::move(control).error().with_hint("load the loop module: modprobe loop");
  for (int i = 0; i < kAttachTries; ++i) {
    int number = ::ioctl(control->get(), LOOP_CTL_GET_FREE);
    if (number < 0) return last_error("finding a free loop device");
    std::string path = "/dev/loop" + std::to_string(number);
    SF_TRY_ASSIGN(UniqueFd device, open_file(path, O_RDWR));
    loop_config config{};
    config.fd = static_cast<unsigned>(image.get());
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (::ioctl(device.get(), LOOP_CONFIGURE, &config) == 0)
      return LoopDevice{std::move(device), path};
    if (errno != EBUSY) return last_error("attaching " + image_path + " to " + path);
  }
  return fail(ErrorCode::kBusy, "no free loop device", "detach one (losetup -a lists them)");
}

Status follow_file_size(const LoopDevice& device) {
  if (::ioctl(device.fd.get(), LOOP_SET_CAPACITY, 0) != 0)
    return last_error("resizing " + device.path);
  return Ok{};
}

}  // namespace sf::os
