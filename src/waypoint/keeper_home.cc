#include "waypoint/keeper_home.h"

#include "os/tree.h"

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
std::string live_unit(const std::string& id) { return "live-" + id; }
std::string ahead_dir(const std::string& store_dir, const std::string& id) {
  return keeper_dir(store_dir, id) + "/ahead";
}
std::string ahead_unit(const std::string& id) { return "ahead-" + id; }

Result<KeeperGroups> make_keeper_groups(const os::CgroupLayout& layout, const std::string& id) {
  SF_TRY_ASSIGN(os::Cgroup branch, os::Cgroup::create(layout, id, {}));
  SF_TRY_ASSIGN(os::Cgroup engine, os::Cgroup::create(layout, engine_group(id), {}));
  return KeeperGroups{std::move(branch), std::move(engine)};
}

void remove_keeper_groups(const os::CgroupLayout& layout, const std::string& id) {
  for (const std::string& name : {engine_group(id), id})
    (void)os::Cgroup::find(layout, name).remove(Deadline::after(kRemoveTime));
}

Status remove_keeper_home(const std::string& store_dir, const std::string& id, UnitStore& units) {
  remove_keeper_groups(os::read_cgroup_layout(), id);
  SF_TRY(units.remove(live_unit(id)));
  SF_TRY(units.remove(ahead_unit(id)));
  return os::remove_tree(keeper_dir(store_dir, id));
}

}  // namespace sf::waypoint
