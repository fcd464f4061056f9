// BackendEntry: how a backend is registered; registry.cc lists them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "control/backend.h"
#include "waypoint/waypoint.h"

namespace sf::backends {

// Where the tools of others are found. Empty: where they are by default.
struct Tools {
  std::string docker_socket;
  std::string runsc;                  // path of the program
  std::string vm_guest;               // directory with vmlinuz and modules/
  std::string vm_accelerator;         // kvm or tcg; empty: kvm where a try shows that it works
  std::string podman_config;          // as CONTAINERS_CONF
  std::string podman_storage_config;  // as CONTAINERS_STORAGE_CONF
};

// What a backend may build on.
struct HostContext {
  std::shared_ptr<waypoint::Waypoint> waypoint;  // null: this host cannot run it
  Error why_no_waypoint;                         // then
  std::string state_dir;                         // every backend may have a directory below
  std::string agent;                             // path of statefork-agent
  std::string criu_shim;                         // loaded into CRIU; empty: there is none
  std::string owner;  // names this store in front of tools that others use, too
  Tools tools;
};

struct BackendEntry {
  std::string name;
  std::string summary;  // one line, for people
  control::Preserves preserves;
  control::Capabilities capabilities = {.terminal = true, .files = true};
  bool on_waypoint = false;  // lives in Waypoint's store
  // Whether this host can run it: else what is missing, and how to get it.
  std::function<Status(const HostContext&)> usable;
  // May succeed where the tool does not answer now: it may answer later.
  std::function<Result<std::unique_ptr<control::Backend>>(const HostContext&)> make;
};

// Those over other people's tools, each in the folder of its name.
BackendEntry docker_entry();
BackendEntry gvisor_entry();
BackendEntry podman_entry();         // whole states
BackendEntry podman_commit_entry();  // files alone
BackendEntry vm_entry();

}  // namespace sf::backends
