// BackendEntry: how a backend is registered; registry.cc lists them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "control/backend.h"
#include "waypoint/waypoint.h"

namespace sf::backends {

// Locations of external tools. Empty: their default locations.
struct Tools {
  std::string docker_socket;
  std::string runsc;                  // path of the program
  std::string vm_guest;               // directory with vmlinuz and modules/
  std::string vm_accelerator;         // kvm or tcg; empty: kvm if a test shows that it works
  std::string podman_config;          // value of CONTAINERS_CONF
  std::string podman_storage_config;  // value of CONTAINERS_STORAGE_CONF
};

// The parts of the host that a backend may use.
struct HostContext {
  std::shared_ptr<waypoint::Waypoint> waypoint;  // null: this host cannot run it
  Error why_no_waypoint;                         // the reason if `waypoint` is null
  std::string state_dir;                         // a backend may create a directory below it
  std::string agent;                             // path of statefork-agent
  std::string criu_shim;                         // loaded into CRIU; empty: not installed
  std::string owner;  // identifies this store in tools that other programs use too
  Tools tools;
};

struct BackendEntry {
  std::string name;
  std::string summary;  // one line, for people
  control::Preserves preserves;
  control::Capabilities capabilities = {.terminal = true, .files = true};
  bool on_waypoint = false;  // keeps its states in Waypoint's store
  // Ok if this host can run the backend; otherwise the missing part, with a hint.
  std::function<Status(const HostContext&)> usable;
  // May succeed even if the tool does not answer now.
  std::function<Result<std::unique_ptr<control::Backend>>(const HostContext&)> make;
};

// Backends over external tools, each in the folder of its name.
BackendEntry docker_entry();
BackendEntry gvisor_entry();
BackendEntry podman_entry();         // keeps whole states
BackendEntry podman_commit_entry();  // keeps files only
BackendEntry vm_entry();

}  // namespace sf::backends
