// SharedBackends: the backends that all sessions of the host stand on. One that cannot be opened
// now is there all the same and says why; Waypoint's store is opened again when its disk has room.
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

// Opens each of these backends that the host can run. Returns those of which it is not known what
// they have: to open them all the same would leave sessions believing in branches that are gone.
using MakeBackend = std::function<Result<std::unique_ptr<control::Backend>>(const std::string&)>;
using OpenBackend = std::function<void(const std::string& name, std::unique_ptr<control::Backend>,
                                       const control::Inventory& has)>;
std::vector<std::string> open_each(const std::vector<std::string>& names, const MakeBackend& make,
                                   const OpenBackend& open, DaemonLog& log);

class SharedBackends {
 public:
  SharedBackends(std::unique_ptr<backends::BackendRegistry> registry, DaemonLog& log);

  // kInvalidArgument for a name that this program does not know.
  Result<control::Backend*> find(const std::string& name);
  // For a session that another version made: one that is never there.
  control::Backend& find_or_name(const std::string& name);
  std::vector<std::string> names() const;
  // Why the backend cannot do its work now.
  std::optional<Error> problem(const std::string& name) const;

  // Gives the caller a backend that was away, and what it has, before sessions use it again.
  using Reopened = std::function<void(control::Backend& backend, const control::Inventory& has)>;
  // Opens Waypoint's store again if it failed and its disk has room. One caller at a time.
  void mend(const Reopened& reopened);

  backends::BackendRegistry& registry() const { return *registry_; }

 private:
  backends::ReopenableBackend& add(const std::string& name);  // requires: mutex_ is held
  bool close_all_on_waypoint(const Error& why);
  bool reopen_store();

  std::unique_ptr<backends::BackendRegistry> registry_;
  DaemonLog& log_;
  Deadline next_try_ = Deadline::after(seconds(0));
  seconds pause_{2};                 // until then; longer after each failure
  std::vector<std::string> closed_;  // on a store that is open again
  mutable std::mutex mutex_;
  // Guarded by mutex_; none is ever removed.
  std::map<std::string, std::unique_ptr<backends::ReopenableBackend>> backends_;
};

}  // namespace sf::service
