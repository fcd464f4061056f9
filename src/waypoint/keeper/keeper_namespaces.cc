#include "waypoint/keeper/keeper_namespaces.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "os/error.h"
#include "os/file.h"
#include "os/host_info.h"
#include "os/mount.h"
#include "os/process.h"

namespace sf::waypoint {
namespace {

constexpr const char* kCriuCache = "/run/criu.kdat";

Status bring_loopback_up() {
  os::UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return os::last_error("opening a socket");
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0)
    return os::last_error("bringing up the loopback interface");
  return Ok{};
}

// Every capture lists the namespace's sockets. The kernel then walks the whole socket hash table,
// which by default is the host's (milliseconds each for TCP and UDP). A namespace gets its own
// small table if its parent namespace configures that, so create a parent for this purpose. Older
// kernels lack the setting; captures are then only slower.
Status enter_small_network() {
  if (::unshare(CLONE_NEWNET) != 0) return os::last_error("creating a network namespace");
  (void)os::write_file("/proc/sys/net/ipv4/tcp_child_ehash_entries", "1024");
  (void)os::write_file("/proc/sys/net/ipv4/udp_child_hash_entries", "128");
  if (::unshare(CLONE_NEWNET) != 0)
    return os::last_error("creating the branch's network namespace");
  return Ok{};
}

std::string stored_cache(const std::string& store_dir) {
  return store_dir + "/criu-" + os::boot_id() + ".kdat";
}

}  // namespace

Status enter_keeper_namespaces(Network network) {
  if (::unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC) != 0)
    return Error(os::last_error("creating namespaces"))
        .with_hint("this needs root with CAP_SYS_ADMIN; see `statefork doctor`");
  SF_TRY(os::make_mounts_follow());
  if (::mount("waypoint", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700") != 0)
    return os::last_error("mounting /run");
  for (const char* path : {kFileLayersMount, kRootMount}) {
    if (::mkdir(path, 0700) != 0) return os::last_error(path);
  }
  if (network == Network::kNone) {
    SF_TRY(enter_small_network());
    SF_TRY(bring_loopback_up());
  }
  return Ok{};
}

Status set_hostname(const std::string& name) {
  if (::sethostname(name.data(), name.size()) != 0) return os::last_error("setting the host name");
  return Ok{};
}

std::string current_hostname() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

void load_criu_cache(const std::string& store_dir, const std::string& criu) {
  if (auto cache = os::read_file(stored_cache(store_dir))) {
    (void)os::write_file(kCriuCache, *cache);
    return;
  }
  auto check = os::spawn({.argv = {criu, "check"}, .env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}});
  if (!check || !check->wait(Deadline::after(seconds(30)))) return;  // only slower
  if (auto cache = os::read_file(kCriuCache))
    (void)os::publish_file(stored_cache(store_dir), *cache);
}

}  // namespace sf::waypoint
