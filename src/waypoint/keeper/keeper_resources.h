// The resources of a keeper outside its process: a directory, one or two file layers, two cgroups.
// Their names, and their removal after the keeper's end.
#pragma once

#include <string>

#include "base/result.h"
#include "os/cgroup.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

std::string keeper_dir(const std::string& store_dir, const std::string& id);
std::string keeper_socket(const std::string& store_dir, const std::string& id);
std::string live_file_layer(const std::string& id);
// Image directory of the keeper's precapture.
std::string precapture_dir(const std::string& store_dir, const std::string& id);
std::string precapture_file_layer(const std::string& id);

struct KeeperGroups {
  os::Cgroup branch;  // the tree; has the limits
  os::Cgroup engine;  // CRIU's processes; only a cgroup finds all of them
};
Result<KeeperGroups> make_keeper_groups(const os::CgroupLayout& layout, const std::string& id);
// Kills the processes in the groups first.
void remove_keeper_groups(const os::CgroupLayout& layout, const std::string& id);

// Removes all resources. Requires: the keeper serves no more requests.
Status remove_keeper_resources(const std::string& store_dir, const std::string& id,
                               FileLayerStore& file_layers);

}  // namespace sf::waypoint
