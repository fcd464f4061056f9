// BackendRegistry: from a backend's name to the backend. All that live on Waypoint share one store.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/backend.h"
#include "waypoint/waypoint.h"

namespace sf::backends {

struct BackendDescription {
  std::string name;
  std::string summary;  // one line, for people
  control::Preserves preserves;
  bool usable = false;
  std::string why_not;  // what is missing on this host, and how to mend it
};

class BackendRegistry {
 public:
  // Opens the store. A host that cannot run Waypoint still has a registry; make() then says why.
  explicit BackendRegistry(waypoint::WaypointOptions options);

  std::vector<BackendDescription> list() const;
  // Backends outlive the registry. kInvalidArgument: no such name.
  Result<std::unique_ptr<control::Backend>> make(std::string_view name) const;
  // For what no backend offers: nothing when the store could not be opened.
  std::shared_ptr<waypoint::Waypoint> waypoint() const { return waypoint_; }

 private:
  std::shared_ptr<waypoint::Waypoint> waypoint_;
  Error why_not_;  // when there is no waypoint_
};

}  // namespace sf::backends
