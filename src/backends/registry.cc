#include "backends/registry.h"

#include <utility>

#include "backends/criu/criu_backend.h"
#include "backends/overlay/overlay_backend.h"
#include "backends/replay/replay_backend.h"
#include "backends/waypoint/waypoint_backend.h"
#include "os/file.h"
#include "shell/fresh_id.h"
#include "waypoint/host/host_programs.h"

namespace sf::backends {
namespace {

// If the store failed because its file system was full, it needs this much space to write its
// records.
constexpr std::uint64_t kRoomToReopen = 128ULL << 20U;

Status has_waypoint(const HostContext& around) {
  if (around.waypoint) return Ok{};
  return around.why_no_waypoint;
}

template <typename T>
BackendEntry on_waypoint(std::string summary) {
  T backend(nullptr);
  return {.name = std::string(backend.name()),
          .summary = std::move(summary),
          .preserves = backend.preserves(),
          .capabilities = backend.capabilities(),
          .on_waypoint = true,
          .usable = has_waypoint,
          .make = [](const HostContext& around) -> Result<std::unique_ptr<control::Backend>> {
            SF_TRY(has_waypoint(around));
            return std::unique_ptr<control::Backend>(std::make_unique<T>(around.waypoint));
          }};
}

// A random id, kept with the store: another store with the same path may use the same engines.
std::string owner_of(const std::string& directory) {
  const std::string path = directory + "/owner";
  if (auto known = os::read_file(path)) return *known;
  std::string fresh = waypoint::fresh_id("store");
  if (!os::make_directories(directory) || !os::publish_file(path, fresh)) return fresh;
  return fresh;
}

// In order of preference.
std::vector<BackendEntry> all_entries() {
  return {
      on_waypoint<WaypointBackend>(
          "whole states: files, shell, running processes and their memory"),
      gvisor_entry(),
      podman_entry(),
      vm_entry(),
      on_waypoint<OverlayBackend>("files only; every restore starts a new shell"),
      docker_entry(),
      podman_commit_entry(),
      on_waypoint<CriuBackend>("CRIU only: restores shell, processes and memory, but not files"),
      on_waypoint<ReplayBackend>("keeps no states: every restore runs all commands again"),
  };
}

}  // namespace

BackendRegistry::BackendRegistry(waypoint::WaypointOptions options, Tools tools)
    : options_(std::move(options)) {
  around_.state_dir = options_.store_dir + "/backends";
  around_.owner = owner_of(around_.state_dir);
  const waypoint::Helpers helpers = waypoint::look_for_helpers(options_.helper_dir);
  around_.agent = helpers.dir + "/statefork-agent";
  if (helpers.criu_shim.usable) around_.criu_shim = helpers.criu_shim.path;
  around_.tools = std::move(tools);
  open_store();
}

void BackendRegistry::open_store() {
  auto opened = waypoint::Waypoint::open(options_);
  std::lock_guard lock(mutex_);
  if (opened) {
    around_.waypoint = std::make_shared<waypoint::Waypoint>(std::move(*opened));
  } else {
    around_.why_no_waypoint = std::move(opened).error();
  }
}

HostContext BackendRegistry::around() const {
  std::lock_guard lock(mutex_);
  return around_;
}

ReopenableBackend::Nature BackendRegistry::nature(const std::string& name) const {
  for (const BackendEntry& entry : all_entries()) {
    if (entry.name == name) return {name, entry.preserves, entry.capabilities};
  }
  return {.name = name, .preserves = {}, .capabilities = {}};
}

bool BackendRegistry::is_on_waypoint(std::string_view name) const {
  for (const BackendEntry& entry : all_entries()) {
    if (entry.name == name) return entry.on_waypoint;
  }
  return false;
}

Status BackendRegistry::check_store() const {
  HostContext now = around();
  if (!now.waypoint) return now.why_no_waypoint;
  return now.waypoint->check_store();
}

bool BackendRegistry::may_reopen_store() const {
  Status store = check_store();
  if (store) return false;
  const ErrorCode code = store.error().code;
  if (code != ErrorCode::kNoSpace && code != ErrorCode::kOs && code != ErrorCode::kBusy)
    return false;
  auto room = os::free_bytes(options_.store_dir);
  return room && *room >= kRoomToReopen;
}

void BackendRegistry::close_store() {
  std::shared_ptr<waypoint::Waypoint> waypoint;
  {
    std::lock_guard lock(mutex_);
    if (!around_.waypoint) return;
    Status store = around_.waypoint->check_store();
    if (!store) around_.why_no_waypoint = store.error();
    waypoint = std::exchange(around_.waypoint, nullptr);
  }
  waypoint->end_all();
}

Status BackendRegistry::reopen_store() {
  open_store();
  return check_store();
}

std::vector<std::string> BackendRegistry::names() const {
  std::vector<std::string> names;
  for (const BackendEntry& entry : all_entries()) names.push_back(entry.name);
  return names;
}

std::vector<BackendDescription> BackendRegistry::list() const {
  const HostContext now = around();
  std::vector<BackendDescription> all;
  for (const BackendEntry& entry : all_entries()) {
    Status usable = entry.usable(now);
    all.push_back({.name = entry.name,
                   .summary = entry.summary,
                   .preserves = entry.preserves,
                   .usable = usable.ok(),
                   .why_not = usable ? "" : usable.error().describe()});
  }
  return all;
}

Result<BackendChoice> BackendRegistry::choose() const {
  const HostContext now = around();
  std::string without;
  for (const BackendEntry& entry : all_entries()) {
    Status usable = entry.usable(now);
    if (usable && without.empty())
      return BackendChoice{entry.name, "the preferred backend; this host supports it fully"};
    if (usable) return BackendChoice{entry.name, "the best that this host supports; " + without};
    if (without.empty()) without = "not " + entry.name + ": " + usable.error().describe();
  }
  return fail(ErrorCode::kUnsupported, "this host supports no backend",
              "`statefork doctor` shows why");
}

Result<std::unique_ptr<control::Backend>> BackendRegistry::make(std::string_view name) const {
  std::string names;
  for (const BackendEntry& entry : all_entries()) {
    names += (names.empty() ? "" : ", ") + entry.name;
    if (entry.name != name) continue;
    return entry.make(around());
  }
  return invalid("there is no backend \"" + std::string(name) + "\"", "choose one of: " + names);
}

}  // namespace sf::backends
