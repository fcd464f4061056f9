// The agent: PID 1 inside a container, a sandbox or a virtual machine of another substrate. It
// hosts the same shell on the same terminal with the same command protocol as a Waypoint branch,
// so that the output of all substrates can be compared. The substrate captures and restores the
// agent together with the sandbox's other processes; a restored agent continues serving.
//
// It serves the requests of wire/keeper_protocol.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/poller.h"
#include "shell/shell_host.h"
#include "shell/shell_server.h"
#include "wire/operations.h"

namespace sf::agent {

class Agent {
 public:
  static Result<std::unique_ptr<Agent>> listen(const std::string& socket_path);
  // Returns only on an error. Requires: this process's main thread runs waypoint::run_init().
  Status run();

 private:
  explicit Agent(os::Poller poller);
  Status serve(const waypoint::ClientPtr& client, wire::Frame frame) const;
  Status hello(const waypoint::ClientPtr& client, wire::HelloCall call);
  Status start(const waypoint::ClientPtr& client, wire::StartCall call);
  Status hang_up(const waypoint::ClientPtr& client, wire::HangUpCall call);
  Status facts(const waypoint::ClientPtr& client, wire::FactsCall call);
  waypoint::ProcessSet background() const;

  waypoint::Operations operations_;
  os::Poller poller_;
  waypoint::ChangeGate gate_ = waypoint::ChangeGate::of_agent();
  std::unique_ptr<waypoint::ShellHost> host_;
  std::optional<waypoint::ShellServer> shell_;
  waypoint::KeeperServer server_;
};

}  // namespace sf::agent
