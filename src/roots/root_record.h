// RootRecord: the metadata of a prepared root (image.json). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "roots/image_config.h"
#include "wire/json.h"

namespace sf::roots {

struct RootRecord {
  std::string digest;
  std::string source;       // origin, for people: a path, "debootstrap bookworm"
  std::string created_at;   // UTC: 2026-01-31T12:00:00Z
  std::uint64_t bytes = 0;  // on disk
  std::uint64_t skipped_devices = 0;
  std::uint64_t skipped_attributes = 0;
  ImageConfig config;
};

wire::Json to_json(const RootRecord& record);
std::string to_text(const RootRecord& record);
// kCorrupt if the text is malformed or has an unknown version.
Result<RootRecord> parse_root_record(std::string_view text);

}  // namespace sf::roots
