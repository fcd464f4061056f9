// Substrate: the operations that an external tool needs to become a backend. HostedBackend adds the
// rest: the agent provides the shell, commands, terminal and files in every substrate.
// docs/backends.md shows how to write a substrate.
//
// A sandbox is one running instance with the agent as its PID 1; a state is a saved sandbox. The
// caller chooses the names of both. They are new, and consist of letters, digits and dashes.
// Thread-safe: calls for different sandboxes may run in parallel; calls for one sandbox do not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "control/cost_line.h"
#include "control/preserves.h"
#include "os/fd.h"
#include "shell/branch_config.h"

namespace sf::backends {

// Prefix of roots that are images. Any other root is a directory of the host.
inline constexpr std::string_view kImagePrefix = "image:";

// Labels for tools that support them: the store that owns the object, and the object's name in it.
inline constexpr const char* kOwnerLabel = "statefork.owner";
inline constexpr const char* kNameLabel = "statefork.name";

struct KeptState {
  std::uint64_t bytes = 0;  // on disk, used by this state only
  microseconds stopped{0};  // how long the sandbox was stopped
};

class Substrate {
 public:
  virtual ~Substrate() = default;
  virtual std::string_view name() const = 0;
  virtual control::Preserves preserves() const = 0;
  // The estimated cost of keep(), used until it has been measured.
  virtual control::CostLine expected_cost() const = 0;
  // kUnsupported if a setting is not supported. The message names it, and the hint an alternative.
  virtual Status check(const waypoint::BranchConfig& config) const = 0;

  // Identifies the engine that runs the sandboxes. Empty if there can be only one.
  virtual Result<std::string> engine() { return std::string(); }

  virtual Status start(const std::string& sandbox, const waypoint::BranchConfig& config) = 0;
  // A stream to the agent's socket. kNotFound: the sandbox has certainly ended; kBusy: the agent is
  // not listening yet.
  virtual Result<os::UniqueFd> connect(const std::string& sandbox) = 0;
  // Saves the sandbox, which keeps running. Requires: no connection to its agent is open.
  virtual Result<KeptState> keep(const std::string& sandbox, const std::string& state) = 0;
  // Starts a new sandbox from that state. `config` is the initial one of the original sandbox.
  virtual Status revive(const std::string& state, const std::string& sandbox,
                        const waypoint::BranchConfig& config) = 0;
  // Both succeed if the object is gone or incomplete.
  virtual Status end(const std::string& sandbox) = 0;
  virtual Status remove(const std::string& state) = 0;
  // The running sandboxes and the saved states of this store.
  virtual Result<std::vector<std::string>> sandboxes() = 0;
  virtual Result<std::vector<std::string>> states() = 0;
};

}  // namespace sf::backends
