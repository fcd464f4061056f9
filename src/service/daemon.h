// The daemon's life: its lock, its socket, its sessions, its end.
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
  std::string group;     // of the socket; empty: `statefork`, where there is such a group
  std::string listen;    // HOST:PORT, beside the socket; empty: none
  std::string token;     // what requests over TCP must carry; never TCP without one
  std::size_t prerestores = waypoint::WaypointOptions{}.prerestores;
  int ready_fd = -1;  // told "ok", or what went wrong, and closed
  std::string version;
};

// Returns after SIGTERM or SIGINT. Sessions live on. Requires: no other threads yet.
Status run_daemon(const DaemonOptions& options);

}  // namespace sf::service
