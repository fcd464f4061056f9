// BackendRegistry: makes backends by name. All backends over Waypoint share one store.
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
  std::string why_not;  // the missing part of this host, and how to fix it
};

class BackendRegistry {  // Thread-safe.
 public:
  // Opens the store. If the host cannot run Waypoint, the registry works anyway, and make() returns
  // the reason.
  explicit BackendRegistry(waypoint::WaypointOptions options, Tools tools = {});

  std::vector<std::string> names() const;
  // Slow: asks every tool whether it is available.
  std::vector<BackendDescription> list() const;
  // A backend may outlive the registry. kInvalidArgument: unknown name.
  Result<std::unique_ptr<control::Backend>> make(std::string_view name) const;
  // The best backend that this host supports.
  Result<BackendChoice> choose() const;
  // For operations that no backend offers. Null if the store could not be opened.
  std::shared_ptr<waypoint::Waypoint> waypoint() const { return around().waypoint; }

  // Properties of a backend that are known even if it cannot be made.
  ReopenableBackend::Nature nature(const std::string& name) const;
  bool is_on_waypoint(std::string_view name) const;
  // Fails if Waypoint's store could not be opened, or has become read-only.
  Status check_store() const;
  // Whether reopening the store may succeed: the disk caused the failure and has space now.
  bool may_reopen_store() const;
  // Ends all branches of the store and closes it.
  void close_store();
  // Requires: close_store() was called, and all backends on Waypoint were destroyed.
  Status reopen_store();

 private:
  HostContext around() const;
  void open_store();

  waypoint::WaypointOptions options_;
  mutable std::mutex mutex_;
  HostContext around_;  // guarded by mutex_
};

}  // namespace sf::backends
