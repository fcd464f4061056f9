#include "backends/agent/config_records.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "os/file.h"
#include "wire/json.h"

namespace sf::backends {

std::string ConfigRecords::path(const std::string& name) const {
  return directory_ + "/" + name + ".json";
}

Status ConfigRecords::put(const std::string& name, const waypoint::BranchConfig& config) const {
  SF_TRY(os::make_directories(directory_));
  return os::publish_file(path(name), to_json(config).dump());
}

Result<waypoint::BranchConfig> ConfigRecords::get(const std::string& name) const {
  auto text = os::read_file(path(name));
  if (!text) return std::move(text).error().while_doing("finding what " + name + " began with");
  wire::Json json = wire::Json::parse(*text, nullptr, false);
  if (json.is_discarded())
    return fail(ErrorCode::kCorrupt, path(name) + " is damaged",
                "remove the snapshot and take another");
  return waypoint::branch_config_from_json(json);
}

Result<std::string> ConfigRecords::engine() const { return os::read_file(directory_ + "/engine"); }

Status ConfigRecords::put_engine(const std::string& engine) const {
  SF_TRY(os::make_directories(directory_));
  return os::publish_file(directory_ + "/engine", engine);
}

void ConfigRecords::remove(const std::string& name) const { (void)::unlink(path(name).c_str()); }

}  // namespace sf::backends
