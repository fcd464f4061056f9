// An image's configuration: how its programs run, its platform, and its layers. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "roots/image_name.h"
#include "wire/json.h"

namespace sf::roots {

struct ImageConfig {
  std::vector<std::string> env;  // "KEY=value"
  std::string working_dir;
  std::string user;  // a name or a uid, perhaps with ":" and a group
  std::vector<std::string> entrypoint;
  std::vector<std::string> cmd;
  friend bool operator==(const ImageConfig&, const ImageConfig&) = default;
};

struct ImageDescription {
  ImageConfig config;
  Platform platform;                  // empty if the image does not state it
  std::vector<std::string> diff_ids;  // of the layers, lowest first
};

// Parses the configuration file of a Docker or OCI image.
Result<ImageDescription> parse_image_description(std::string_view text);

// The format of our own records.
wire::Json to_json(const ImageConfig& config);
Result<ImageConfig> image_config_from_json(const wire::Json& json);

}  // namespace sf::roots
