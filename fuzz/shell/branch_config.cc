// Branch configurations: rejected with a reason, or read; a round trip keeps them.
#include "shell/branch_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "input.h"

namespace sf::fuzz {

void branch_config(std::string_view input) {
  wire::Json json = wire::Json::parse(input, nullptr, false);
  auto config = waypoint::branch_config_from_json(json);
  if (!config) return check_clear(config.error(), ErrorCode::kCorrupt);
  wire::Json written = waypoint::to_json(*config);
  SF_CHECK(waypoint::to_json(waypoint::branch_config_from_json(written).value()) == written);

  Status checked = waypoint::check_config(*config);
  if (!checked) return check_clear(checked.error());
  for (const std::string& entry : waypoint::shell_environment(*config, "root", "/root")) {
    SF_CHECK(entry.find('=') != std::string::npos);
    SF_CHECK(entry.find('\0') == std::string::npos);
  }
}

}  // namespace sf::fuzz
