#include "roots/root_record.h"

#include <nlohmann/json.hpp>

#include "roots/json_members.h"
#include "roots/sha256.h"

namespace sf::roots {
namespace {

using wire::Json;

constexpr std::uint64_t kVersion = 1;

}  // namespace

Json to_json(const RootRecord& record) {
  return {{"version", kVersion},
          {"digest", record.digest},
          {"source", record.source},
          {"created_at", record.created_at},
          {"bytes", record.bytes},
          {"skipped_devices", record.skipped_devices},
          {"skipped_attributes", record.skipped_attributes},
          {"config", to_json(record.config)}};
}

std::string to_text(const RootRecord& record) {
  // A path may hold bytes that JSON does not allow.
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RootRecord> parse_root_record(std::string_view text) {
  SF_TRY_ASSIGN(Json json, parse_json(text, "the root's record"));
  JsonMembers members(json, "the root's record");
  const std::uint64_t version = members.number("version");
  RootRecord record;
  record.digest = members.text("digest");
  record.source = members.text("source");
  record.created_at = members.text("created_at");
  record.bytes = members.number("bytes");
  record.skipped_devices = members.number("skipped_devices");
  record.skipped_attributes = members.number("skipped_attributes");
  const Json& config = members.object("config");
  SF_TRY(members.done());
  if (version != kVersion)
    return fail(ErrorCode::kCorrupt,
                "the root's record has the unknown version " + std::to_string(version));
  SF_TRY(digest_digits(record.digest));
  SF_TRY_ASSIGN(record.config, image_config_from_json(config));
  return record;
}

}  // namespace sf::roots
