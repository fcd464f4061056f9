// What an image says about how its programs run, on what, and of which layers it is made. Pure.
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
  Platform platform;                  // empty where the image does not say
  std::vector<std::string> diff_ids;  // of the layers, lowest first
};

// The configuration file of an image, as Docker and OCI have it.
Result<ImageDescription> parse_image_description(std::string_view text);

// As our own records keep it.
wire::Json to_json(const ImageConfig& config);
Result<ImageConfig> image_config_from_json(const wire::Json& json);

}  // namespace sf::roots
