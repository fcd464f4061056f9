// Lists listening ports from the tables of /proc/net. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace sf::backends {

// "tcp 127.0.0.1:8000", "udp [::1]:53". `protocol` is the table's name: tcp, tcp6, udp or udp6.
// Malformed lines are skipped.
std::set<std::string> listening_ports(std::string_view table, std::string_view protocol);

}  // namespace sf::backends
