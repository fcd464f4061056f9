#include "waypoint/root_template.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <functional>
#include <sstream>
#include <vector>

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

Status copy_look(const struct stat& info, const std::string& to) {
  if (::chown(to.c_str(), info.st_uid, info.st_gid) != 0 ||
      ::chmod(to.c_str(), info.st_mode & 07777U) != 0)
    return os::last_error("setting the owner and mode of " + to);
  struct timespec times[2] = {info.st_atim, info.st_mtim};
  if (::utimensat(AT_FDCWD, to.c_str(), times, 0) != 0)
    return os::last_error("setting the times of " + to);
  return Ok{};
}

// `hidden` and its parent directories, as paths below the base; deepest first.
std::vector<std::string> parts_of_hidden(const RootTemplate& wanted) {
  std::vector<std::string> parts;
  if (wanted.hidden.empty()) return parts;
  const std::string relative =
      wanted.base_root == "/" ? wanted.hidden : wanted.hidden.substr(wanted.base_root.size());
  for (std::size_t end = relative.size(); end != 0 && end != std::string::npos;
       end = relative.rfind('/', end - 1))
    parts.push_back(relative.substr(0, end));
  return parts;
}

std::string in_base(const RootTemplate& wanted, const std::string& part) {
  return (wanted.base_root == "/" ? "" : wanted.base_root) + part;
}

// The parent directories are merged, so they need the attributes that they have in the base.
Status hide(const RootTemplate& wanted, const std::string& upper) {
  const std::vector<std::string> parts = parts_of_hidden(wanted);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    SF_TRY(make_dir(upper + *part, 0755));
  SF_TRY(make_opaque(upper + parts.front()));
  for (const std::string& part : parts)
    SF_TRY(copy_look(wanted.looks.at(in_base(wanted, part)), upper + part));
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

Status look_at_base(RootTemplate& wanted) {
  std::vector<std::string> paths = {wanted.base_root};
  for (const std::string& part : parts_of_hidden(wanted)) paths.push_back(in_base(wanted, part));
  for (const std::string& path : paths) {
    if (::stat(path.c_str(), &wanted.looks[path]) != 0) return os::last_error(path);
  }
  return Ok{};
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
  for (const auto& [path, look] : wanted.looks) {
    // Device and inode: something else may be mounted there by now.
    key << '\n'
        << path << ' ' << look.st_dev << ' ' << look.st_ino << ' ' << look.st_mode << ' '
        << look.st_uid << ' ' << look.st_gid;
    if (path == wanted.base_root) key << ' ' << look.st_mtim.tv_sec << '.' << look.st_mtim.tv_nsec;
  }
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
  if (!wanted.hidden.empty()) SF_TRY(hide(wanted, upper));
  SF_TRY_ASSIGN(std::string init, os::read_file(wanted.init_binary));
  SF_TRY(os::write_file(upper + kInitPath, init, 0755));
  return copy_look(wanted.looks.at(wanted.base_root), upper);
}

}  // namespace sf::waypoint
