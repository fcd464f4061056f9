// RootPlan: what must be unpacked, in which order, to get the root file system of an image; found
// out from its small files alone, each checked against the digest that names it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "roots/image_config.h"
#include "roots/image_files.h"
#include "roots/unpack.h"

namespace sf::roots {

struct RootPlan {
  std::string digest;  // names the result: that of the image's configuration, or of the archive
  ImageConfig config;
  std::vector<Layer> layers;
  Whiteouts whiteouts = Whiteouts::kApplied;
};

Result<RootPlan> plan_image(const ImageFiles& files, const ImageChoice& choice);
// Of a tar with a root file system.
RootPlan plan_archive(const FilePart& archive, const std::string& digest);

}  // namespace sf::roots
