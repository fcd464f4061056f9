// BackendRegistry: from a backend's name to the backend. All that live on Waypoint share one store.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend_entry.h"
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

class BackendRegistry {
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
  std::shared_ptr<waypoint::Waypoint> waypoint() const { return around_.waypoint; }

 private:
  Surroundings around_;
};

}  // namespace sf::backends
