#include "waypoint/keeper/keeper_resources.h"

#include "os/directory_tree.h"

namespace sf::waypoint {
namespace {

constexpr auto kRemoveTime = seconds(10);

std::string engine_group(const std::string& id) { return id + "-engine"; }

}  // namespace

std::string keeper_dir(const std::string& store_dir, const std::string& id) {
  return store_dir + "/keepers/" + id;
}
std::string keeper_socket(const std::string& store_dir, const std::string& id) {
  return keeper_dir(store_dir, id) + "/socket";
}
std::string live_file_layer(const std::string& id) { return "live-" + id; }
std::string precapture_dir(const std::string& store_dir, const std::string& id) {
  return keeper_dir(store_dir, id) + "/ahead";
}
std::string precapture_file_layer(const std::string& id) { return "ahead-" + id; }

Result<KeeperGroups> make_keeper_groups(const os::CgroupLayout& layout, const std::string& id) {
  SF_TRY_ASSIGN(os::Cgroup branch, os::Cgroup::create(layout, id, {}));
  SF_TRY_ASSIGN(os::Cgroup engine, os::Cgroup::create(layout, engine_group(id), {}));
  return KeeperGroups{std::move(branch), std::move(engine)};
}

void remove_keeper_groups(const os::CgroupLayout& layout, const std::string& id) {
  for (const std::string& name : {engine_group(id), id})
    (void)os::Cgroup::find(layout, name).remove(Deadline::after(kRemoveTime));
}

Status remove_keeper_resources(const std::string& store_dir, const std::string& id,
                               FileLayerStore& file_layers) {
  remove_keeper_groups(os::read_cgroup_layout(), id);
  SF_TRY(file_layers.remove(live_file_layer(id)));
  SF_TRY(file_layers.remove(precapture_file_layer(id)));
  return os::remove_tree(keeper_dir(store_dir, id));
}

}  // namespace sf::waypoint
