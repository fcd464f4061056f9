// Users of a root file system: a user that is found has usable ids, even if the files are damaged.
#include "shell/user_lookup.h"

#include "input.h"

namespace sf::fuzz {

void user_lookup(std::string_view input) {
  Input in(input);
  const std::string wanted(in.until('\0'));
  const std::string passwd(in.until('\0'));
  const std::string group(in.rest());
  auto user = waypoint::find_user(wanted, passwd, group);
  if (!user) return check_clear(user.error(), ErrorCode::kInvalidArgument);
  const waypoint::Credentials& who = user->credentials;
  SF_CHECK(who.uid != ~0U && who.gid != ~0U);  // to setresuid() this means "leave it as it is"
  SF_CHECK(!who.groups.empty() && who.groups.front() == who.gid);
  for (gid_t one : who.groups) SF_CHECK(one != ~0U);
  SF_CHECK(user->name.find('\n') == std::string::npos);
}

}  // namespace sf::fuzz
