#include "waypoint/keeper/root_view.h"

#include "os/mount.h"

namespace sf::waypoint {
namespace {

// Before Linux 6.5, only `lowerdir` exists, in which colons and backslashes must be escaped.
std::string escaped(const std::string& path) {
  std::string out;
  for (char c : path) {
    if (c == ':' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

Result<os::UniqueFd> overlay(const os::MountOption& lower, const FileLayerPaths& file_layer) {
  return os::mount_detached("overlay", {{"source", "waypoint"},
                                        lower,
                                        {"upperdir", file_layer.upper},
                                        {"workdir", file_layer.work},
                                        {"xino", "on"},
                                        {"redirect_dir", "on"},
                                        {"metacopy", "on"},
                                        {"index", "on"},
                                        {"volatile", ""}});
}

}  // namespace

Status mount_root_view(const std::string& base_root, const FileLayerPaths& file_layer,
                       const std::string& target) {
  Result<os::UniqueFd> mount = overlay({"lowerdir+", base_root}, file_layer);
  if (!mount && mount.error().os_errno == EINVAL)
    mount = overlay({"lowerdir", escaped(base_root)}, file_layer);
  if (!mount) {
    Error error =
        std::move(mount).error().while_doing("mounting the branch's root over " + base_root);
    return std::move(error).with_hint("`statefork doctor` checks what OverlayFS needs");
  }
  return os::attach_mount(mount->get(), target);
}

}  // namespace sf::waypoint
