#include "backends/registry.h"

#include <utility>

#include "backends/criu/criu_backend.h"
#include "backends/docker/docker_entry.h"
#include "backends/gvisor/gvisor_entry.h"
#include "backends/overlay/overlay_backend.h"
#include "backends/podman/podman_entry.h"
#include "backends/replay/replay_backend.h"
#include "backends/vm/vm_entry.h"
#include "backends/waypoint/waypoint_backend.h"
#include "os/file.h"
#include "waypoint/fresh_id.h"
#include "waypoint/host_programs.h"

namespace sf::backends {
namespace {

Status has_waypoint(const Surroundings& around) {
  if (around.waypoint) return Ok{};
  return around.why_no_waypoint;
}

template <typename T>
BackendEntry on_waypoint(std::string summary) {
  T backend(nullptr);
  return {.name = std::string(backend.name()),
          .summary = std::move(summary),
          .preserves = backend.preserves(),
          .usable = has_waypoint,
          .make = [](const Surroundings& around) -> Result<std::unique_ptr<control::Backend>> {
            SF_TRY(has_waypoint(around));
            return std::unique_ptr<control::Backend>(std::make_unique<T>(around.waypoint));
          }};
}

// Random, and kept with the store: others may use the same engines with a store of the same path.
std::string owner_of(const std::string& directory) {
  const std::string path = directory + "/owner";
  if (auto known = os::read_file(path)) return *known;
  std::string fresh = waypoint::fresh_id("store");
  if (!os::make_directories(directory) || !os::publish_file(path, fresh)) return fresh;
  return fresh;
}

// The best first.
std::vector<BackendEntry> all_entries() {
  return {
      on_waypoint<WaypointBackend>(
          "whole states: files, shell, running processes and their memory"),
      gvisor_entry(),
      podman_entry(),
      vm_entry(),
      on_waypoint<OverlayBackend>("files alone; every restore begins with a fresh shell"),
      docker_entry(),
      podman_commit_entry(),
      on_waypoint<CriuBackend>("CRIU alone: shell, processes and memory come back, files do not"),
      on_waypoint<ReplayBackend>("nothing is kept: every restore does all commands again"),
  };
}

}  // namespace

BackendRegistry::BackendRegistry(waypoint::WaypointOptions options, Tools tools) {
  around_.state_dir = options.store_dir + "/backends";
  around_.owner = owner_of(around_.state_dir);
  const waypoint::Helpers helpers = waypoint::look_for_helpers(options.helper_dir);
  around_.agent = helpers.dir + "/statefork-agent";
  if (helpers.criu_shim.usable) around_.criu_shim = helpers.criu_shim.path;
  around_.tools = std::move(tools);
  auto opened = waypoint::Waypoint::open(std::move(options));
  if (opened) {
    around_.waypoint = std::make_shared<waypoint::Waypoint>(std::move(*opened));
  } else {
    around_.why_no_waypoint = std::move(opened).error();
  }
}

std::vector<std::string> BackendRegistry::names() const {
  std::vector<std::string> names;
  for (const BackendEntry& entry : all_entries()) names.push_back(entry.name);
  return names;
}

std::vector<BackendDescription> BackendRegistry::list() const {
  std::vector<BackendDescription> all;
  for (const BackendEntry& entry : all_entries()) {
    Status usable = entry.usable(around_);
    all.push_back({.name = entry.name,
                   .summary = entry.summary,
                   .preserves = entry.preserves,
                   .usable = usable.ok(),
                   .why_not = usable ? "" : usable.error().describe()});
  }
  return all;
}

Result<BackendChoice> BackendRegistry::choose() const {
  std::string without;
  for (const BackendEntry& entry : all_entries()) {
    Status usable = entry.usable(around_);
    if (usable && without.empty())
      return BackendChoice{entry.name, "the best there is, and this host has all it needs"};
    if (usable) return BackendChoice{entry.name, "the best that this host can run; " + without};
    if (without.empty()) without = "not " + entry.name + ": " + usable.error().describe();
  }
  return fail(ErrorCode::kUnsupported, "this host can run no backend", "`statefork doctor`");
}

Result<std::unique_ptr<control::Backend>> BackendRegistry::make(std::string_view name) const {
  std::string names;
  for (const BackendEntry& entry : all_entries()) {
    names += (names.empty() ? "" : ", ") + entry.name;
    if (entry.name != name) continue;
    return entry.make(around_);
  }
  return invalid("there is no backend \"" + std::string(name) + "\"", "choose one of: " + names);
}

}  // namespace sf::backends
