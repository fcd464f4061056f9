// Removes everything that a crash may leave in a store: unowned keepers, their cgroups, live file
// layers without a keeper, sealed file layers without a checkpoint.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

// The file layers that live branches need.
struct FileLayerUsers {
  std::set<std::string> keepers;
  std::set<std::string> templates;  // for digests; templates for new branches are made on demand
};
// Pure: whether the file layer is still needed.
bool file_layer_is_needed(const std::string& file_layer, const FileLayerUsers& users,
                          const std::set<std::string>& checkpoints);

// A checkpoint takes over a precapture by renaming its file layer. btrfs commits the rename within
// seconds; if the file system fails before, it is mounted in the state before the rename. The
// keeper's next precapture would have committed the rename, so a file layer under the old name
// belongs to the checkpoint. Pure: returns the renames to repeat.
using FileLayerRenames = std::map<std::string, std::string>;  // from, to
FileLayerRenames undone_renames(const std::set<std::string>& file_layers,
                                const std::map<CheckpointId, std::string>& precaptured);
// Requires: no sweep since the file layers were opened.
Status redo_renames(FileLayerStore& file_layers, const CheckpointStore& checkpoints);

// Ends all keepers, but does not remove their files and cgroups.
Status end_all_keepers(const std::string& store_dir);
// Ends every keeper of this store that is not in `wanted`, and removes the remains of ended
// keepers. Failed removals go to `removals`, here and below, so that the store can still be opened.
Status sweep_keepers(const std::string& store_dir, const std::set<std::string>& wanted,
                     FileLayerStore& file_layers, Removals& removals);
Status sweep_file_layers(FileLayerStore& file_layers, const FileLayerUsers& users,
                         const CheckpointStore& checkpoints);
// Does the whole sweep. Requires: each keeper in `users` has answered a request, so that none still
// writes into a dead manager's draft (a keeper serves one request at a time).
Status sweep_store(const std::string& store_dir, const FileLayerUsers& users,
                   FileLayerStore& file_layers, CheckpointStore& checkpoints);

}  // namespace sf::waypoint
