#include "waypoint/store_sweep.h"

#include <fcntl.h>
#include <sys/file.h>

#include <thread>

#include "os/file.h"
#include "waypoint/keeper/keeper_resources.h"
#include "wire/keeper_client.h"

namespace sf::waypoint {
namespace {

constexpr auto kEndTime = seconds(30);
constexpr auto kLookEvery = milliseconds(5);

// A keeper holds a lock on its log as long as it runs (KeeperPool::spawn), even before it listens.
bool is_running(const std::string& directory) {
  auto log = os::open_file(directory + "/log", O_RDONLY);
  return log && ::flock(log->get(), LOCK_EX | LOCK_NB) != 0;
}

void end_keeper(const std::string& store_dir, const std::string& id) {
  Deadline deadline = Deadline::after(kEndTime);
  KeeperClient client(keeper_socket(store_dir, id));
  (void)client.end(deadline);
  // If its manager died during the start, the keeper may not listen yet.
  while (is_running(keeper_dir(store_dir, id)) && !deadline.passed()) {
    std::this_thread::sleep_for(kLookEvery);
    (void)client.end(deadline);
  }
}

}  // namespace

bool file_layer_is_needed(const std::string& file_layer, const FileLayerUsers& users,
                          const std::set<std::string>& checkpoints) {
  if (file_layer.starts_with("template-")) return users.templates.contains(file_layer);
  if (file_layer.starts_with("live-")) return users.keepers.contains(file_layer.substr(5));
  if (file_layer.starts_with("ahead-")) return users.keepers.contains(file_layer.substr(6));
  if (file_layer.starts_with("sealed-")) return checkpoints.contains(file_layer.substr(7));
  return false;
}

FileLayerRenames undone_renames(const std::set<std::string>& file_layers,
                                const std::map<CheckpointId, std::string>& precaptured) {
  FileLayerRenames renames;
  for (const auto& [checkpoint, keeper] : precaptured) {
    const std::string from = precapture_file_layer(keeper);
    if (!file_layers.contains(sealed_file_layer(checkpoint)) && file_layers.contains(from))
      renames[from] = sealed_file_layer(checkpoint);
  }
  return renames;
}

Status redo_renames(FileLayerStore& file_layers, const CheckpointStore& checkpoints) {
  if (checkpoints.precaptured().empty()) return Ok{};
  SF_TRY_ASSIGN(std::vector<std::string> names, file_layers.list());
  const std::set<std::string> found(names.begin(), names.end());
  for (const auto& [from, to] : undone_renames(found, checkpoints.precaptured()))
    SF_TRY(file_layers.rename(from, to));
  return Ok{};
}

Status end_all_keepers(const std::string& store_dir) {
  if (!os::is_directory(store_dir + "/keepers")) return Ok{};
  SF_TRY_ASSIGN(std::vector<std::string> keepers, os::list_directory(store_dir + "/keepers"));
  for (const std::string& id : keepers) end_keeper(store_dir, id);
  return Ok{};
}

Status sweep_keepers(const std::string& store_dir, const std::set<std::string>& wanted,
                     FileLayerStore& file_layers, Removals& removals) {
  SF_TRY(os::make_directories(store_dir + "/keepers"));
  SF_TRY_ASSIGN(std::vector<std::string> keepers, os::list_directory(store_dir + "/keepers"));
  for (const std::string& id : keepers) {
    if (wanted.contains(id)) continue;
    end_keeper(store_dir, id);
    // A killed keeper could not remove them itself.
    (void)removals.attempt(id, [store_dir, id, &file_layers] {
      return remove_keeper_resources(store_dir, id, file_layers);
    });
  }
  return Ok{};
}

Status sweep_file_layers(FileLayerStore& file_layers, const FileLayerUsers& users,
                         const CheckpointStore& checkpoints) {
  std::set<std::string> known;
  for (const CheckpointInfo& info : checkpoints.list()) known.insert(info.id.value());
  for (const CheckpointId& id : checkpoints.hidden()) known.insert(id.value());
  for (const auto& [name, reason] : checkpoints.damaged()) known.insert(name);
  SF_TRY_ASSIGN(std::vector<std::string> names, file_layers.list());
  for (const std::string& name : names) {
    if (file_layer_is_needed(name, users, known)) continue;
    (void)checkpoints.removals().attempt(name,
                                         [&file_layers, name] { return file_layers.remove(name); });
  }
  return Ok{};
}

Status sweep_store(const std::string& store_dir, const FileLayerUsers& users,
                   FileLayerStore& file_layers, CheckpointStore& checkpoints) {
  SF_TRY(sweep_keepers(store_dir, users.keepers, file_layers, checkpoints.removals()));
  SF_TRY(checkpoints.sweep_drafts());
  return sweep_file_layers(file_layers, users, checkpoints);
}

}  // namespace sf::waypoint
