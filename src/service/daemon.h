// The daemon: takes its lock, listens on its socket, serves its sessions, and ends on a signal.
#pragma once

#include <string>

#include "backends/backend_entry.h"
#include "base/result.h"
#include "waypoint/waypoint.h"

namespace sf::service {

inline constexpr std::size_t kMostPrerestores = 64;

struct DaemonOptions {
  std::string socket_path;
  std::string state_dir;
  backends::Tools tools;
  std::string log_path;  // empty: standard error
  std::string group;     // of the socket; empty: `statefork` if that group exists
  std::string listen;    // HOST:PORT, in addition to the socket; empty: none
  std::string token;     // required in requests over TCP; TCP needs a token
  std::size_t prerestores = waypoint::WaypointOptions{}.prerestores;
  int ready_fd = -1;  // receives "ok" or the error, then is closed
  std::string version;
};

// Returns after SIGTERM or SIGINT. Sessions keep running. Requires: no other threads exist yet.
Status run_daemon(const DaemonOptions& options);

}  // namespace sf::service
