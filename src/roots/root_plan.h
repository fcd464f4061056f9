// RootPlan: the layers to unpack, in order, for the root file system of an image. It is made from
// the image's small files only; each is checked against its digest.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "roots/image_config.h"
#include "roots/image_files.h"
#include "roots/unpack.h"

namespace sf::roots {

struct RootPlan {
  std::string digest;  // of the image's configuration, or of the archive
  ImageConfig config;
  std::vector<Layer> layers;
  Whiteouts whiteouts = Whiteouts::kApplied;
};

Result<RootPlan> plan_image(const ImageFiles& files, const ImageChoice& choice);
// The plan for a tar of a root file system.
RootPlan plan_archive(const FilePart& archive, const std::string& digest);

}  // namespace sf::roots
