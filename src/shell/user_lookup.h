// Looks up users of a root file system in the texts of its /etc/passwd and /etc/group. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "shell/init/start_request.h"

namespace sf::waypoint {

struct User {
  std::string name;
  std::string home;
  Credentials credentials;
};

// `wanted` is a name or a uid. A uid without an entry is valid (as with docker exec -u); an unknown
// name is an error.
Result<User> find_user(const std::string& wanted, const std::string& passwd,
                       const std::string& group);

}  // namespace sf::waypoint
