// SharedBackends: the backends that all sessions of the host use. A backend that cannot be opened
// still has an entry, which states the reason. Waypoint's store is reopened when its disk has
// space.
//
// Thread-safe, except where a comment says otherwise.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/registry.h"
#include "backends/reopenable_backend.h"
#include "base/clock.h"
#include "base/result.h"
#include "service/daemon_log.h"

namespace sf::service {

// Opens each of these backends that the host supports. Returns those whose inventory could not be
// read: if such a backend were opened, sessions would use branches that may be gone.
using MakeBackend = std::function<Result<std::unique_ptr<control::Backend>>(const std::string&)>;
using OpenBackend = std::function<void(const std::string& name, std::unique_ptr<control::Backend>,
                                       const control::Inventory& has)>;
std::vector<std::string> open_each(const std::vector<std::string>& names, const MakeBackend& make,
                                   const OpenBackend& open, DaemonLog& log);

class SharedBackends {
 public:
  SharedBackends(std::unique_ptr<backends::BackendRegistry> registry, DaemonLog& log);

  // kInvalidArgument if this program does not know the name.
  Result<control::Backend*> find(const std::string& name);
  // For a session of another version: if the backend is unknown, returns one that is never
  // available.
  control::Backend& find_or_name(const std::string& name);
  std::vector<std::string> names() const;
  // Why the backend cannot be used now.
  std::optional<Error> problem(const std::string& name) const;

  // Called with a reopened backend and its inventory before sessions use it again.
  using Reopened = std::function<void(control::Backend& backend, const control::Inventory& has)>;
  // Reopens Waypoint's store if it failed and its disk has space. Call from one thread at a time.
  void mend(const Reopened& reopened);

  backends::BackendRegistry& registry() const { return *registry_; }

 private:
  backends::ReopenableBackend& add(const std::string& name);  // requires: mutex_ is held
  bool close_all_on_waypoint(const Error& why);
  bool reopen_store();

  std::unique_ptr<backends::BackendRegistry> registry_;
  DaemonLog& log_;
  Deadline next_try_ = Deadline::after(seconds(0));
  seconds pause_{2};                 // time to the next attempt; grows with each failure
  std::vector<std::string> closed_;  // backends that are still closed after the store was reopened
  mutable std::mutex mutex_;
  // Guarded by mutex_; no entry is ever removed.
  std::map<std::string, std::unique_ptr<backends::ReopenableBackend>> backends_;
};

}  // namespace sf::service
