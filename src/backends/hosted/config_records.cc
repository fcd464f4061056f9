#include "backends/hosted/config_records.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "backends/hosted/tool_search.h"
#include "backends/hosted/unfinished_files.h"
#include "os/file.h"
#include "wire/json.h"

namespace sf::backends {
namespace {

constexpr const char* kEnd = ".json";

}  // namespace

std::string ConfigRecords::path(const std::string& name) const {
  return directory_ + "/" + name + kEnd;
}

Status ConfigRecords::put(const std::string& name, const waypoint::BranchConfig& config) const {
  SF_TRY(os::make_directories(directory_));
  return os::publish_file(path(name), to_json(config).dump());
}

Result<waypoint::BranchConfig> ConfigRecords::get(const std::string& name) const {
  auto text = os::read_file(path(name));
  if (!text) return std::move(text).error().while_doing("reading the initial settings of " + name);
  wire::Json json = wire::Json::parse(*text, nullptr, false);
  if (json.is_discarded())
    return fail(ErrorCode::kCorrupt, path(name) + " is damaged",
                "remove the snapshot and take it again");
  return waypoint::branch_config_from_json(json);
}

Result<std::string> ConfigRecords::engine() const { return os::read_file(directory_ + "/engine"); }

Status ConfigRecords::put_engine(const std::string& engine) const {
  SF_TRY(os::make_directories(directory_));
  return os::publish_file(directory_ + "/engine", engine);
}

void ConfigRecords::remove(const std::string& name) const { (void)::unlink(path(name).c_str()); }

Result<std::set<std::string>> ConfigRecords::all() const {
  SF_TRY_ASSIGN(std::vector<std::string> files, names_in(directory_));
  std::set<std::string> names;
  for (const std::string& file : files) {
    if (file.ends_with(kEnd)) names.insert(file.substr(0, file.rfind('.')));
  }
  return names;
}

Status ConfigRecords::keep_only(const std::set<std::string>& names) const {
  remove_drafts(directory_);
  SF_TRY_ASSIGN(std::set<std::string> known, all());
  for (const std::string& name : known) {
    if (!names.contains(name)) remove(name);
  }
  return Ok{};
}

Result<bool> ConfigRecords::empty() const {
  SF_TRY_ASSIGN(std::set<std::string> known, all());
  return known.empty();
}

}  // namespace sf::backends
