// Encodes a request to init as init_protocol.h defines it. Pure.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace sf::waypoint {

struct Credentials {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

struct StartRequest {
  std::string kind;
  long id = 0;
  Credentials who;
  std::string cwd = "/";
  std::vector<std::string> argv;
  std::vector<std::string> env;
};

std::string encode(const StartRequest& request);

}  // namespace sf::waypoint
