// ImageMaker: images as the tools write them, made of layers that a test gives; and what a test may
// spoil in them.
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

  // The image's configuration file, and its digest: what the image is known by.
  std::string config() const;
  std::string digest() const;

  using Files = std::map<std::string, std::string>;
  // `docker save` until version 24: HEX.json, ID/layer.tar.
  Files old_docker_files() const;
  // `docker save` since: an OCI layout with a manifest.json beside.
  Files new_docker_files() const;
  // An OCI layout, with images for other machines in the same index.
  Files oci_files() const;

  static std::string tar_of(const Files& files, Packing packing = Packing::kNone);
  static void write_to(const std::string& directory, const Files& files);
};

}  // namespace sf::test
