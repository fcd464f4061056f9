// Finds the daemon and starts it if none answers, as tmux does with its server.
#pragma once

#include <string>

#include "base/result.h"
#include "client/api_client.h"
#include "os/fd.h"

namespace sf::cli {

struct DaemonLocation {
  std::string socket_path = "/run/statefork/statefork.sock";
  std::string state_dir = "/var/lib/statefork";
};

// Connects, and starts a daemon if none answers. If several clients call this at the same time, one
// starts the daemon and the others wait.
Result<os::UniqueFd> connect_or_start(const DaemonLocation& location);

// The daemon's API for a command: one connection, made by the first call with connect_or_start().
client::ApiClient daemon_client(const DaemonLocation& location);

// Ok: a daemon answers at the socket.
Status ensure_daemon(const DaemonLocation& location);

}  // namespace sf::cli
