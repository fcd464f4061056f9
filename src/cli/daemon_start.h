// Finds the daemon, and starts it when there is none, as tmux does with its server.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::cli {

struct DaemonPlace {
  std::string socket_path = "/run/statefork/statefork.sock";
  std::string state_dir = "/var/lib/statefork";
};

// Where `statefork-daemon` is: beside this program.
Result<std::string> daemon_program();

// Ok: a daemon answers at the socket. Of several clients at once, one starts it and the others
// wait.
Status ensure_daemon(const DaemonPlace& place);

}  // namespace sf::cli
