// What a crash may leave in a store, and its removal: keepers nobody owns, their cgroups, live
// file layers without a keeper, sealed file layers without a checkpoint.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

// What live branches need.
struct FileLayerUsers {
  std::set<std::string> keepers;
  std::set<std::string> templates;  // that branches are compared with; others are made when needed
};
// Pure: is this file layer still needed?
bool file_layer_is_needed(const std::string& file_layer, const FileLayerUsers& users,
                          const std::set<std::string>& checkpoints);

// A capture made ahead of time becomes a checkpoint's by renaming its file layer. btrfs writes that
// down within seconds, and a file system that failed before is mounted as it was then. The next
// capture of that keeper would have written it down, so that the file layer found under the old
// name is the checkpoint's. Pure: which file layers get which name again.
using FileLayerRenames = std::map<std::string, std::string>;  // from, to
FileLayerRenames undone_renames(const std::set<std::string>& file_layers,
                                const std::map<CheckpointId, std::string>& precaptured);
// Requires: nothing was swept since the file layers were opened.
Status redo_renames(FileLayerStore& file_layers, const CheckpointStore& checkpoints);

// Ends all keepers and leaves what they have outside of themselves.
Status end_all_keepers(const std::string& store_dir);
// Ends every keeper of this store that is not in `wanted`, and removes what ended ones left. What
// cannot be removed is among `removals`, here and below: it keeps no store closed.
Status sweep_keepers(const std::string& store_dir, const std::set<std::string>& wanted,
                     FileLayerStore& file_layers, Removals& removals);
Status sweep_file_layers(FileLayerStore& file_layers, const FileLayerUsers& users,
                         const CheckpointStore& checkpoints);
// All of it. Requires: each keeper in `users` has answered, so that none still writes into a dead
// manager's draft: a keeper answers one request at a time.
Status sweep_store(const std::string& store_dir, const FileLayerUsers& users,
                   FileLayerStore& file_layers, CheckpointStore& checkpoints);

}  // namespace sf::waypoint
