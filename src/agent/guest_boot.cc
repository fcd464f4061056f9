#include "agent/guest_boot.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "agent/loopback.h"
#include "base/clock.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::agent {
namespace {

constexpr const char* kDisk = "/dev/vda";
constexpr const char* kNewRoot = "/newroot";
constexpr const char* kPorts = "/sys/class/virtio-ports";
constexpr const char* kPortName = "statefork";
constexpr auto kDiskTime = seconds(60);

Status mount_kernel_view(const char* type, const char* where, const char* options = nullptr) {
  (void)::mkdir(where, 0755);
  if (::mount(type, where, type, MS_NOSUID, options) == 0 || errno == EBUSY) return Ok{};
  return os::last_error(std::string("mounting ") + where);
}

Status load_modules() {
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory("/modules"));
  std::ranges::sort(names);
  for (const std::string& name : names) {
    SF_TRY_ASSIGN(os::UniqueFd file, os::open_file("/modules/" + name, O_RDONLY | O_CLOEXEC));
    if (::syscall(SYS_finit_module, file.get(), "", 0) != 0 && errno != EEXIST)
      return os::last_error("loading " + name);
  }
  return Ok{};
}

Status wait_for(const char* path) {
  for (Deadline deadline = Deadline::after(kDiskTime); !os::exists(path);) {
    if (deadline.passed())
      return fail(ErrorCode::kTimedOut, std::string("no device or directory ") + path);
    std::this_thread::sleep_for(milliseconds(5));
  }
  return Ok{};
}

Status enter_disk() {
  SF_TRY(wait_for(kDisk));
  (void)::mkdir(kNewRoot, 0755);
  if (::mount(kDisk, kNewRoot, "ext4", 0, nullptr) != 0) return os::last_error("mounting the disk");
  if (::chdir(kNewRoot) != 0 || ::mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 ||
      ::chroot(".") != 0 || ::chdir("/") != 0)
    return os::last_error("entering the disk");
  return Ok{};
}

// udev would create these links: shells open their descriptors by these names.
Status link_descriptors() {
  constexpr std::pair<const char*, const char*> kLinks[] = {{"/proc/self/fd", "/dev/fd"},
                                                            {"fd/0", "/dev/stdin"},
                                                            {"fd/1", "/dev/stdout"},
                                                            {"fd/2", "/dev/stderr"}};
  for (const auto& [target, name] : kLinks) {
    if (::symlink(target, name) != 0 && errno != EEXIST)
      return os::last_error(std::string("linking ") + name);
  }
  return Ok{};
}

}  // namespace

Status boot_guest() {
  SF_TRY(mount_kernel_view("devtmpfs", "/dev"));
  SF_TRY(load_modules());
  SF_TRY(enter_disk());
  SF_TRY(mount_kernel_view("devtmpfs", "/dev"));
  SF_TRY(mount_kernel_view("proc", "/proc"));
  SF_TRY(mount_kernel_view("sysfs", "/sys"));
  SF_TRY(mount_kernel_view("devpts", "/dev/pts", "newinstance,ptmxmode=0666,mode=0620"));
  SF_TRY(mount_kernel_view("tmpfs", "/dev/shm"));
  SF_TRY(mount_kernel_view("tmpfs", "/run", "mode=755"));
  SF_TRY(link_descriptors());
  return raise_loopback_of(::getpid());
}

Result<std::string> find_host_port() {
  SF_TRY(wait_for(kPorts));
  for (Deadline deadline = Deadline::after(kDiskTime); !deadline.passed();) {
    auto ports = os::list_directory(kPorts);
    for (const std::string& port : ports ? *ports : std::vector<std::string>()) {
      auto name = os::read_file(std::string(kPorts) + "/" + port + "/name");
      if (name && name->starts_with(kPortName)) return "/dev/" + port;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return fail(ErrorCode::kTimedOut, "the virtio port of the host did not appear");
}

}  // namespace sf::agent
