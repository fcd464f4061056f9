// BackendRegistry: from a backend's name to the backend. All that live on Waypoint share one store.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend_entry.h"
#include "backends/reopenable_backend.h"
#include "base/result.h"
#include "control/backend.h"
#include "waypoint/waypoint.h"

namespace sf::backends {

struct BackendChoice {
  std::string name;
  std::string why;  // for people
};

struct BackendDescription {
  std::string name;
  std::string summary;  // one line, for people
  control::Preserves preserves;
  bool usable = false;
  std::string why_not;  // what is missing on this host, and how to mend it
};

class BackendRegistry {  // Thread-safe.
 public:
  // Opens the store. A host that cannot run Waypoint still has a registry; make() then says why.
  explicit BackendRegistry(waypoint::WaypointOptions options, Tools tools = {});

  std::vector<std::string> names() const;
  // Asks every tool whether it is there, which takes its time.
  std::vector<BackendDescription> list() const;
  // Backends outlive the registry. kInvalidArgument: no such name.
  Result<std::unique_ptr<control::Backend>> make(std::string_view name) const;
  // The best that this host can run.
  Result<BackendChoice> choose() const;
  // For what no backend offers: nothing when the store could not be opened.
  std::shared_ptr<waypoint::Waypoint> waypoint() const { return around().waypoint; }

  // What is known of a backend whether or not it can be made.
  ReopenableBackend::Nature nature(const std::string& name) const;
  bool is_on_waypoint(std::string_view name) const;
  // Fails if Waypoint's store could not be opened, or has become read-only.
  Status check_store() const;
  // Whether opening the store again may help now: the failure came from the disk, which has room.
  bool may_reopen_store() const;
  // Ends all branches of the store and lets go of it.
  void close_store();
  // Requires: close_store() was called, and no backend on Waypoint is left.
  Status reopen_store();

 private:
  HostContext around() const;
  void open_store();

  waypoint::WaypointOptions options_;
  mutable std::mutex mutex_;
  HostContext around_;  // guarded by mutex_
};

}  // namespace sf::backends
