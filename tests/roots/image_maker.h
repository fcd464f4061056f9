// ImageMaker: images in the formats of the tools, made of given layers. Tests may damage their
// parts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tar_maker.h"

namespace sf::test {

class ImageMaker {
 public:
  std::vector<std::string> layers;  // tar archives, lowest first
  Packing packing = Packing::kNone;
  std::string architecture = "amd64";
  std::string name = "docker.io/library/made:1";

  // The image's configuration file and its digest, which identifies the image.
  std::string config() const;
  std::string digest() const;

  using Files = std::map<std::string, std::string>;
  // The format of `docker save` up to version 24: HEX.json, ID/layer.tar.
  Files old_docker_files() const;
  // The format of `docker save` since version 25: an OCI layout with an additional manifest.json.
  Files new_docker_files() const;
  // An OCI layout; the index also has images for other platforms.
  Files oci_files() const;

  static std::string tar_of(const Files& files, Packing packing = Packing::kNone);
  static void write_to(const std::string& directory, const Files& files);
};

}  // namespace sf::test
