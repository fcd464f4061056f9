// manifest.json, the table of contents of a `docker save` archive. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::roots {

struct DockerImage {
  std::string config;  // names of files in the archive
  std::vector<std::string> layers;
  std::vector<std::string> tags;
};

Result<std::vector<DockerImage>> parse_docker_manifest(std::string_view text);

// The image with that name. If `name` is empty, there must be exactly one image.
Result<DockerImage> choose_docker_image(const std::vector<DockerImage>& found,
                                        const std::string& name);

}  // namespace sf::roots
