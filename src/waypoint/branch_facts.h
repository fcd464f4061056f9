// What decides how a branch is captured: pure functions over the texts of /proc.
#pragma once

#include <string>

namespace sf::waypoint {

// A TCP socket with data under way, or in a state between connected and closed: needs the network
// held still while its tree is captured and brought back. `table` is /proc/net/tcp or tcp6.
bool has_tcp_in_flight(const std::string& table);
// A table of /proc/sysvipc with more than its heading.
bool has_entries(const std::string& table);

}  // namespace sf::waypoint
