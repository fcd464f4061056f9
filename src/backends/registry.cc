#include "backends/registry.h"

#include <array>
#include <utility>

#include "backends/overlay_backend.h"
#include "backends/replay_backend.h"
#include "backends/waypoint_backend.h"

namespace sf::backends {
namespace {

using MakeBackend = std::unique_ptr<control::Backend> (*)(std::shared_ptr<waypoint::Waypoint>);

template <typename T>
std::unique_ptr<control::Backend> make_one(std::shared_ptr<waypoint::Waypoint> waypoint) {
  return std::make_unique<T>(std::move(waypoint));
}

struct Entry {
  std::string_view summary;
  MakeBackend make;
};

constexpr std::array<Entry, 3> kEntries = {
    Entry{"whole states: files, shell, running processes and their memory",
          make_one<WaypointBackend>},
    Entry{"files alone; every restore begins with a fresh shell", make_one<OverlayBackend>},
    Entry{"nothing is kept: every restore does all commands again", make_one<ReplayBackend>},
};

}  // namespace

BackendRegistry::BackendRegistry(waypoint::WaypointOptions options) {
  auto opened = waypoint::Waypoint::open(std::move(options));
  if (opened) {
    waypoint_ = std::make_shared<waypoint::Waypoint>(std::move(*opened));
  } else {
    why_not_ = std::move(opened).error();
  }
}

std::vector<BackendDescription> BackendRegistry::list() const {
  std::vector<BackendDescription> all;
  for (const Entry& entry : kEntries) {
    std::unique_ptr<control::Backend> backend = entry.make(waypoint_);
    all.push_back({.name = std::string(backend->name()),
                   .summary = std::string(entry.summary),
                   .preserves = backend->preserves(),
                   .usable = waypoint_ != nullptr,
                   .why_not = waypoint_ ? "" : why_not_.describe()});
  }
  return all;
}

Result<std::unique_ptr<control::Backend>> BackendRegistry::make(std::string_view name) const {
  std::string names;
  for (const Entry& entry : kEntries) {
    std::unique_ptr<control::Backend> backend = entry.make(waypoint_);
    if (backend->name() != name) {
      names += (names.empty() ? "" : ", ") + std::string(backend->name());
      continue;
    }
    if (!waypoint_) return why_not_;
    return backend;
  }
  return invalid("there is no backend \"" + std::string(name) + "\"", "choose one of: " + names);
}

}  // namespace sf::backends
