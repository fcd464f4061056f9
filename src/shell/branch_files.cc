#include "shell/branch_files.h"

#include "os/in_root.h"
#include "shell/user_lookup.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxUsers = 16U << 20U;

}  // namespace

Result<std::string> read_branch_file(const std::string& root, const std::string& path,
                                     std::size_t max_bytes) {
  SF_TRY_ASSIGN(os::InRoot files, os::InRoot::open(root));
  return files.read(path, max_bytes);
}

Status write_branch_file(const ChangePermit& /*permit*/, const std::string& root,
                         const std::string& user, const std::string& path,
                         std::string_view content) {
  SF_TRY_ASSIGN(os::InRoot files, os::InRoot::open(root));
  auto passwd = files.read("/etc/passwd", kMaxUsers);
  auto group = files.read("/etc/group", kMaxUsers);
  SF_TRY_ASSIGN(User owner, find_user(user, passwd ? *passwd : "", group ? *group : ""));
  return files.replace(path, content, {owner.credentials.uid, owner.credentials.gid, 0644});
}

}  // namespace sf::waypoint
