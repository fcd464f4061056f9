// CRIU's version: a version parsed from any output survives a round trip.
#include "engine/criu/criu_binary.h"
#include "input.h"

namespace sf::fuzz {

void criu_version(std::string_view input) {
  auto version = waypoint::parse_criu_version(input);
  if (!version) return check_clear(version.error(), ErrorCode::kCorrupt);
  SF_CHECK(version->major >= 0 && version->minor >= 0 && version->patch >= 0);
  auto again = waypoint::parse_criu_version("Version: " + waypoint::to_string(*version));
  SF_CHECK(again.ok());
  SF_CHECK(*again == *version);
}

}  // namespace sf::fuzz
