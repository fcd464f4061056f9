// Substrate: what somebody else's tool must be able to do to become a backend. HostedBackend adds
// all the rest: the shell, commands, terminal and files are the agent's, the same in every
// substrate. docs/backends.md shows how to write one.
//
// A sandbox is one running instance with the agent as its PID 1; a state is what was kept of one.
// Names of both are given from outside, are fresh, and consist of letters, digits and dashes.
// Thread-safe: calls for different sandboxes come at the same time; those for one sandbox do not.
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

// Roots that are images are written so; all others are directories of the host.
inline constexpr std::string_view kImagePrefix = "image:";

// What tools that know labels are told: whose something is, and what it is called here.
inline constexpr const char* kOwnerLabel = "statefork.owner";
inline constexpr const char* kNameLabel = "statefork.name";

struct KeptState {
  std::uint64_t bytes = 0;  // on disk, for this state alone
  microseconds stopped{0};  // how long the sandbox stood still
};

class Substrate {
 public:
  virtual ~Substrate() = default;
  virtual std::string_view name() const = 0;
  virtual control::Preserves preserves() const = 0;
  // What keep() is believed to cost before it was measured.
  virtual control::CostLine expected_cost() const = 0;
  // kUnsupported names the setting that it cannot honour, and what to use instead.
  virtual Status check(const waypoint::BranchConfig& config) const = 0;

  // What tells the engine that runs the sandboxes from others of its kind; empty: there is only
  // one.
  virtual Result<std::string> engine() { return std::string(); }

  virtual Status start(const std::string& sandbox, const waypoint::BranchConfig& config) = 0;
  // A stream to the agent's socket. kNotFound: the sandbox is gone, which has to be certain; kBusy:
  // its agent does not listen yet.
  virtual Result<os::UniqueFd> connect(const std::string& sandbox) = 0;
  // The sandbox runs on. Requires: no connection to its agent is open.
  virtual Result<KeptState> keep(const std::string& sandbox, const std::string& state) = 0;
  // A new sandbox at that state. `config` is the one that the first sandbox of its line began with.
  virtual Status revive(const std::string& state, const std::string& sandbox,
                        const waypoint::BranchConfig& config) = 0;
  // Both succeed on what is gone, or half made.
  virtual Status end(const std::string& sandbox) = 0;
  virtual Status remove(const std::string& state) = 0;
  // Those that run, and those that are kept; of this store alone.
  virtual Result<std::vector<std::string>> sandboxes() = 0;
  virtual Result<std::vector<std::string>> states() = 0;
};

}  // namespace sf::backends
