#include "waypoint/root_template.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <functional>
#include <sstream>

#include "os/error.h"
#include "os/file.h"
#include "shell/init/init_protocol.h"
#include "waypoint/host/host_programs.h"

namespace sf::waypoint {
namespace {

struct Device {
  const char* name;
  unsigned major;
  unsigned minor;
};
constexpr Device kDevices[] = {{"null", 1, 3},   {"zero", 1, 5},    {"full", 1, 7},
                               {"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0}};

struct Link {
  const char* name;
  const char* target;
};
constexpr Link kLinks[] = {{"ptmx", "pts/ptmx"},
                           {"fd", "/proc/self/fd"},
                           {"stdin", "/proc/self/fd/0"},
                           {"stdout", "/proc/self/fd/1"},
                           {"stderr", "/proc/self/fd/2"}};

Status make_dir(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST)
    return os::last_error("creating " + path);
  if (::chmod(path.c_str(), mode) != 0) return os::last_error("setting the mode of " + path);
  return Ok{};
}

// An opaque directory hides the base's directory.
Status make_opaque(const std::string& path) {
  if (::setxattr(path.c_str(), "trusted.overlay.opaque", "y", 1, 0) != 0)
    return os::last_error("hiding the base below " + path);
  return Ok{};
}

Status copy_look(const std::string& from, const std::string& to) {
  struct stat info {};
  if (::stat(from.c_str(), &info) != 0) return os::last_error(from);
  if (::chown(to.c_str(), info.st_uid, info.st_gid) != 0 ||
      ::chmod(to.c_str(), info.st_mode & 07777U) != 0)
    return os::last_error("setting the owner and mode of " + to);
  struct timespec times[2] = {info.st_atim, info.st_mtim};
  if (::utimensat(AT_FDCWD, to.c_str(), times, 0) != 0)
    return os::last_error("setting the times of " + to);
  return Ok{};
}

// The parent directories are merged, so they need the attributes that they have in the base.
Status hide(const std::string& base, const std::string& upper, const std::string& hidden) {
  std::string relative = base == "/" ? hidden : hidden.substr(base.size());
  std::vector<std::string> made;  // deepest first
  for (std::size_t slash = relative.find('/', 1);; slash = relative.find('/', slash + 1)) {
    std::string part = relative.substr(0, slash);
    SF_TRY(make_dir(upper + part, 0755));
    made.insert(made.begin(), part);
    if (slash == std::string::npos) break;
  }
  SF_TRY(make_opaque(upper + relative));
  for (const std::string& part : made)
    SF_TRY(copy_look((base == "/" ? "" : base) + part, upper + part));
  return Ok{};
}

Status write_devices(const std::string& dev) {
  SF_TRY(make_dir(dev, 0755));
  SF_TRY(make_opaque(dev));
  SF_TRY(make_dir(dev + "/pts", 0755));
  SF_TRY(make_dir(dev + "/shm", 01777));
  SF_TRY(make_dir(dev + "/mqueue", 01777));
  for (const Device& device : kDevices) {
    std::string path = dev + "/" + device.name;
    if (::mknod(path.c_str(), S_IFCHR | 0666U, ::makedev(device.major, device.minor)) != 0 ||
        ::chmod(path.c_str(), 0666) != 0)
      return os::last_error("creating device " + path);
  }
  for (const Link& link : kLinks) {
    if (::symlink(link.target, (dev + "/" + link.name).c_str()) != 0)
      return os::last_error("creating link " + dev + "/" + link.name);
  }
  return Ok{};
}

}  // namespace

Status check_base_root(const std::string& base_root) {
  if (!os::is_directory(base_root))
    return invalid("root " + base_root + " is not a directory",
                   "use a directory with a root file system, or /");
  if (find_bash(base_root)) return Ok{};
  return fail(ErrorCode::kUnsupported, "root " + base_root + " has no bash",
              "install bash in it (for example: chroot " + base_root +
                  " apt-get install bash, or apk add bash)");
}

Result<std::string> template_name(const RootTemplate& wanted) {
  struct stat init {};
  if (::stat(wanted.init_binary.c_str(), &init) != 0)
    return Error(os::last_error(wanted.init_binary))
        .with_hint("build waypoint-init and put it beside the program");
  std::ostringstream key;
  key << wanted.base_root << '\n'
      << wanted.hidden << '\n'
      << init.st_size << '\n'
      << init.st_mtim.tv_sec << '.' << init.st_mtim.tv_nsec;
  std::ostringstream name;
  name << "template-" << std::hex << std::hash<std::string>()(key.str());
  return name.str();
}

Status write_template(const RootTemplate& wanted, const FileLayerPaths& file_layer) {
  const std::string& upper = file_layer.upper;
  SF_TRY(write_devices(upper + "/dev"));
  for (const char* name : {"/proc", "/sys"}) SF_TRY(make_dir(upper + name, 0555));
  SF_TRY(make_dir(upper + "/tmp", 01777));
  SF_TRY(make_dir(upper + "/run", 0755));
  if (wanted.base_root == "/") {
    // Hide the host's own sockets, locks and scratch files.
    for (const char* name : {"/tmp", "/run"}) SF_TRY(make_opaque(upper + name));
  }
  if (!wanted.hidden.empty()) SF_TRY(hide(wanted.base_root, upper, wanted.hidden));
  SF_TRY_ASSIGN(std::string init, os::read_file(wanted.init_binary));
  SF_TRY(os::write_file(upper + kInitPath, init, 0755));
  return copy_look(wanted.base_root, upper);
}

}  // namespace sf::waypoint
