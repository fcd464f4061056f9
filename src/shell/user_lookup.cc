#include "shell/user_lookup.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/split.h"

namespace sf::waypoint {
namespace {

std::optional<unsigned> number(const std::string& text) {
  unsigned value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (value == ~0U) return std::nullopt;  // for setresuid() this means "no change"
  return value;
}

std::vector<gid_t> groups_of(const std::string& name, gid_t primary, const std::string& group) {
  std::vector<gid_t> groups{primary};
  for (const std::string& line : split(group, '\n')) {
    std::vector<std::string> fields = split(line, ':');
    if (fields.size() < 4) continue;
    std::vector<std::string> members = split(fields[3], ',');
    auto gid = number(fields[2]);
    if (gid && *gid != primary && std::ranges::find(members, name) != members.end())
      groups.push_back(*gid);
  }
  return groups;
}

}  // namespace

Result<User> find_user(const std::string& wanted, const std::string& passwd,
                       const std::string& group) {
  auto uid = number(wanted);
  for (const std::string& line : split(passwd, '\n')) {
    std::vector<std::string> fields = split(line, ':');
    if (fields.size() < 6) continue;
    auto line_uid = number(fields[2]);
    auto line_gid = number(fields[3]);
    if (!line_uid || !line_gid || (fields[0] != wanted && line_uid != uid)) continue;
    return User{
        fields[0], fields[5], {*line_uid, *line_gid, groups_of(fields[0], *line_gid, group)}};
  }
  if (wanted == "root") return User{"root", "/root", {0, 0, {0}}};
  if (uid) return User{wanted, "/", {*uid, *uid, {*uid}}};
  return invalid("user " + wanted + " is not in this root's /etc/passwd",
                 "use a name from that file, or a uid");
}

}  // namespace sf::waypoint
