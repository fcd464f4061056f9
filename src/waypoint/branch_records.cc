#include "waypoint/branch_records.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "wire/checked_int.h"

namespace sf::waypoint {
namespace {

using wire::checked_int;
using wire::Json;

constexpr int kVersion = 1;
constexpr std::size_t kAtOnce = 4096;  // one page: the kernel writes it as a whole

Result<BranchRecord> parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(ErrorCode::kCorrupt, "branch record is not a JSON object");
  try {
    if (checked_int<int>(json, "version") != kVersion)
      return fail(ErrorCode::kUnsupported, "another version of this program left a live branch",
                  "open the store with that version and end its branches first");
    BranchRecord record;
    record.id = BranchId(json.at("id").get<std::string>());
    record.keeper = json.at("keeper").get<std::string>();
    record.keeper_process = {checked_int<pid_t>(json, "keeper_pid"),
                             checked_int<unsigned long long>(json, "keeper_start")};
    SF_TRY_ASSIGN(record.config, branch_config_from_json(json.at("config")));
    if (json.contains("head")) record.head = CheckpointId(json["head"].get<std::string>());
    if (json.contains("template")) record.template_file_layer = json["template"].get<std::string>();
    if (!is_valid_id(record.id.value()) || !is_valid_id(record.keeper))
      return fail(ErrorCode::kCorrupt, "malformed id");
    return record;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("branch record: ") + e.what());
  }
}

}  // namespace

Status BranchRecords::publish(const BranchRecord& record) const {
  Json json = {{"version", kVersion},
               {"id", record.id.value()},
               {"keeper", record.keeper},
               {"keeper_pid", record.keeper_process.pid},
               {"keeper_start", record.keeper_process.start_time},
               {"config", to_json(record.config)}};
  if (record.head) json["head"] = record.head->value();
  if (!record.template_file_layer.empty()) json["template"] = record.template_file_layer;
  std::string path = dir_ + "/" + record.id.value() + ".json";
  std::string text = json.dump(2) + "\n";
  if (text.size() > kAtOnce) return os::publish_file(path, text);
  // Overwrite the file with one write of one page: after a kill, the record is either complete or
  // unchanged. No branch outlives the machine, so the order of writes to the disk does not matter.
  text.resize(kAtOnce, ' ');
  auto file = os::open_file(path, O_WRONLY);
  const bool is_new = !file;
  if (is_new) file = os::open_file(path, O_WRONLY | O_CREAT | O_EXCL);  // empty: no record yet
  struct stat info {};
  bool fits =
      file && ::fstat(file->get(), &info) == 0 && info.st_size == (is_new ? 0 : off_t{kAtOnce});
  if (!fits) return os::publish_file(path, text);
  ssize_t n = ::pwrite(file->get(), text.data(), text.size(), 0);
  if (n == static_cast<ssize_t>(text.size())) return Ok{};
  Error error = os::last_error("writing " + path);
  if (is_new) ::unlink(path.c_str());
  return error;
}

Status BranchRecords::remove(const BranchId& id) const {
  if (::unlink((dir_ + "/" + id.value() + ".json").c_str()) != 0 && errno != ENOENT)
    return os::last_error("removing the record of branch " + id.value());
  return Ok{};
}

Result<std::vector<BranchRecord>> BranchRecords::load_all() const {
  SF_TRY(os::make_directories(dir_));
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(dir_));
  std::vector<BranchRecord> records;
  for (const std::string& name : names) {
    std::string path = dir_ + "/" + name;
    if (!name.ends_with(".json")) {  // a draft that was never published
      SF_TRY(os::remove_tree(path));
      continue;
    }
    SF_TRY_ASSIGN(std::string text, os::read_file(path));
    auto record = parse(text);
    if (!record && record.error().code != ErrorCode::kCorrupt)
      return std::move(record).error().while_doing("reading " + path);
    if (record && record->id.value() + ".json" == name) {
      records.push_back(std::move(*record));
    } else {
      SF_TRY(os::remove_tree(path));
    }
  }
  return records;
}

}  // namespace sf::waypoint
