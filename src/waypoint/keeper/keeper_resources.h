// What a keeper has outside of itself: a directory, one or two file layers, two cgroups. Its names,
// and its removal once the keeper is gone, whoever gets there first.
#pragma once

#include <string>

#include "base/result.h"
#include "os/cgroup.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

std::string keeper_dir(const std::string& store_dir, const std::string& id);
std::string keeper_socket(const std::string& store_dir, const std::string& id);
std::string live_file_layer(const std::string& id);
// Of a branch that was captured before anybody asked for it.
std::string precapture_dir(const std::string& store_dir, const std::string& id);
std::string precapture_file_layer(const std::string& id);

struct KeeperGroups {
  os::Cgroup branch;  // the tree; carries the limits
  os::Cgroup engine;  // what captures it: CRIU forks, and only a cgroup finds all of that again
};
Result<KeeperGroups> make_keeper_groups(const os::CgroupLayout& layout, const std::string& id);
// Ends what is inside first.
void remove_keeper_groups(const os::CgroupLayout& layout, const std::string& id);

// Removes all of it. Requires: the keeper serves no more.
Status remove_keeper_resources(const std::string& store_dir, const std::string& id,
                               FileLayerStore& file_layers);

}  // namespace sf::waypoint
