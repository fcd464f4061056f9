#include "waypoint/manifest.h"

#include <nlohmann/json.hpp>

#include "wire/checked_int.h"

namespace sf::waypoint {

using wire::checked_int;
using wire::Json;

std::string manifest_text(const Manifest& m) {
  Json json = {{"version", kManifestVersion},
               {"id", m.info.id.value()},
               {"branch", m.info.branch.value()},
               {"image_bytes", m.info.image_bytes},
               {"took_us", m.info.took.count()},
               {"engine", m.engine},
               {"boot_id", m.boot_id},
               {"config", to_json(m.config)},
               {"state", to_json(m.state)}};
  if (m.info.parent) json["parent"] = m.info.parent->value();
  if (m.info.base) json["base"] = m.info.base->value();
  if (!m.precapture_keeper.empty()) json["ahead_keeper"] = m.precapture_keeper;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status check_restorable(const Manifest& manifest, const std::string& boot_id) {
  if (manifest.engine == kFilesOnly)
    return fail(ErrorCode::kUnsupported, "the checkpoint holds files and no processes",
                "start a branch from it");
  if (manifest.engine != kCriuName && manifest.engine != kNativeName)
    return fail(ErrorCode::kUnsupported,
                "the checkpoint was taken by the engine \"" + manifest.engine + "\"",
                "this version supports the engines \"criu\" and \"native\"");
  if (manifest.boot_id != boot_id)
    return fail(ErrorCode::kUnsupported,
                "the checkpoint is older than the last boot of this machine: clocks and mounts of "
                "its processes are gone",
                "take a new one");
  return Ok{};
}

Result<Manifest> parse_manifest(const std::string& text, const std::string& terminal) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(ErrorCode::kCorrupt, "manifest is not a JSON object");
  try {
    if (auto version = checked_int<long long>(json, "version");
        version < kOldestManifest || version > kManifestVersion)
      return fail(ErrorCode::kCorrupt, "manifest has unknown version " + std::to_string(version));
    Manifest m;
    m.info.id = CheckpointId(json.at("id").get<std::string>());
    m.info.branch = BranchId(json.at("branch").get<std::string>());
    m.info.image_bytes = checked_int<std::uint64_t>(json, "image_bytes");
    m.info.took = microseconds(checked_int<long long>(json, "took_us"));
    m.engine = json.at("engine").get<std::string>();
    m.boot_id = json.at("boot_id").get<std::string>();
    if (json.contains("parent")) m.info.parent = CheckpointId(json["parent"].get<std::string>());
    if (json.contains("base")) m.info.base = CheckpointId(json["base"].get<std::string>());
    m.precapture_keeper = json.value("ahead_keeper", "");
    SF_TRY_ASSIGN(m.config, branch_config_from_json(json.at("config")));
    SF_TRY_ASSIGN(m.state, captured_state_from_json(json.at("state"), terminal));
    m.info.stopped = m.state.stopped;
    m.info.label = m.config.label;
    if (!is_valid_id(m.info.id.value()) || !is_valid_id(m.info.branch.value()) ||
        (m.info.parent && !is_valid_id(m.info.parent->value())) ||
        (m.info.base && !is_valid_id(m.info.base->value())) ||
        (!m.precapture_keeper.empty() && !is_valid_id(m.precapture_keeper)))
      return fail(ErrorCode::kCorrupt, "manifest has a malformed id");
    return m;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("manifest: ") + e.what());
  }
}

}  // namespace sf::waypoint
