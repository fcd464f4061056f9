#include "shell/fresh_id.h"

#include <sys/random.h>

#include <array>
#include <cstdio>

#include "base/check.h"

namespace sf::waypoint {

std::string fresh_id(const std::string& prefix) {
  std::array<unsigned char, 6> bytes{};
  SF_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  std::string id = prefix + "-";
  for (unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    id += digits;
  }
  return id;
}

}  // namespace sf::waypoint
