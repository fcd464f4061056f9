#include "waypoint/store_sweep.h"

#include <fcntl.h>
#include <sys/file.h>

#include <thread>

#include "os/file.h"
#include "waypoint/keeper_client.h"
#include "waypoint/keeper_home.h"

namespace sf::waypoint {
namespace {

constexpr auto kEndTime = seconds(30);
constexpr auto kLookEvery = milliseconds(5);

// A keeper holds a lock on its log for as long as it lives (KeeperPool::spawn), also before it
// listens.
bool is_running(const std::string& directory) {
  auto log = os::open_file(directory + "/log", O_RDONLY);
  return log && ::flock(log->get(), LOCK_EX | LOCK_NB) != 0;
}

void end_keeper(const std::string& store_dir, const std::string& id) {
  Deadline deadline = Deadline::after(kEndTime);
  KeeperClient client(keeper_socket(store_dir, id));
  (void)client.end(deadline);
  // One whose manager died at its birth may not listen yet.
  while (is_running(keeper_dir(store_dir, id)) && !deadline.passed()) {
    std::this_thread::sleep_for(kLookEvery);
    (void)client.end(deadline);
  }
}

}  // namespace

bool unit_is_needed(const std::string& unit, const std::set<std::string>& live_keepers,
                    const std::set<std::string>& checkpoints) {
  if (unit.starts_with("template-")) return !unit.ends_with("-draft");
  if (unit.starts_with("live-")) return live_keepers.contains(unit.substr(5));
  if (unit.starts_with("ahead-")) return live_keepers.contains(unit.substr(6));
  if (unit.starts_with("sealed-")) return checkpoints.contains(unit.substr(7));
  return false;
}

UnitRenames undone_renames(const std::set<std::string>& units,
                           const std::map<CheckpointId, std::string>& captured_ahead) {
  UnitRenames renames;
  for (const auto& [checkpoint, keeper] : captured_ahead) {
    const std::string from = ahead_unit(keeper);
    if (!units.contains(sealed_unit(checkpoint)) && units.contains(from))
      renames[from] = sealed_unit(checkpoint);
  }
  return renames;
}

Status redo_renames(UnitStore& units, const CheckpointStore& checkpoints) {
  if (checkpoints.captured_ahead().empty()) return Ok{};
  SF_TRY_ASSIGN(std::vector<std::string> names, units.list());
  const std::set<std::string> found(names.begin(), names.end());
  for (const auto& [from, to] : undone_renames(found, checkpoints.captured_ahead()))
    SF_TRY(units.rename(from, to));
  return Ok{};
}

Status end_all_keepers(const std::string& store_dir) {
  if (!os::is_directory(store_dir + "/keepers")) return Ok{};
  SF_TRY_ASSIGN(std::vector<std::string> keepers, os::list_directory(store_dir + "/keepers"));
  for (const std::string& id : keepers) end_keeper(store_dir, id);
  return Ok{};
}

Status sweep_keepers(const std::string& store_dir, const std::set<std::string>& wanted,
                     UnitStore& units) {
  SF_TRY(os::make_directories(store_dir + "/keepers"));
  SF_TRY_ASSIGN(std::vector<std::string> keepers, os::list_directory(store_dir + "/keepers"));
  for (const std::string& id : keepers) {
    if (wanted.contains(id)) continue;
    end_keeper(store_dir, id);
    SF_TRY(remove_keeper_home(store_dir, id, units));  // one that was killed could not
  }
  return Ok{};
}

Status sweep_units(UnitStore& units, const std::set<std::string>& live_keepers,
                   const CheckpointStore& checkpoints) {
  std::set<std::string> known;
  for (const CheckpointInfo& info : checkpoints.list()) known.insert(info.id.value());
  for (const CheckpointId& id : checkpoints.hidden()) known.insert(id.value());
  for (const auto& [name, reason] : checkpoints.damaged()) known.insert(name);
  SF_TRY_ASSIGN(std::vector<std::string> names, units.list());
  for (const std::string& name : names) {
    if (!unit_is_needed(name, live_keepers, known)) SF_TRY(units.remove(name));
  }
  return Ok{};
}

}  // namespace sf::waypoint
