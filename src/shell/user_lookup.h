// Users as a root file system knows them. Pure: over the texts of its /etc/passwd and /etc/group.
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

// `wanted` is a name or a uid. A uid nobody has is fine (as with docker exec -u); an unknown name
// is not.
Result<User> find_user(const std::string& wanted, const std::string& passwd,
                       const std::string& group);

}  // namespace sf::waypoint
