// The files of an OCI image layout: indexes and manifests. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "roots/image_name.h"

namespace sf::roots {

struct Descriptor {
  std::string media_type;
  std::string digest;
  std::uint64_t size = 0;
  std::optional<Platform> platform;
  std::vector<std::string> names;
  bool is_image = true;  // false: an attestation about an image
  bool is_index() const;
};

// Parses index.json, or an index in a blob.
Result<std::vector<Descriptor>> parse_index(std::string_view text);

struct ImageManifest {
  Descriptor config;
  std::vector<Descriptor> layers;  // lowest first
};
Result<ImageManifest> parse_image_manifest(std::string_view text);

// The image with that name for that platform. If there is none, the hint of kNotFound lists the
// others.
Result<Descriptor> choose_descriptor(const std::vector<Descriptor>& found,
                                     const ImageChoice& choice);

}  // namespace sf::roots
