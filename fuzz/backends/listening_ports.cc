// Tables of /proc/net: every reported port has an address and a number.
#include "backends/listening_ports.h"

#include "input.h"

namespace sf::fuzz {

void listening_ports(std::string_view input) {
  for (std::string_view protocol : {"tcp", "tcp6", "udp", "udp6"}) {
    for (const std::string& port : backends::listening_ports(input, protocol)) {
      SF_CHECK(port.starts_with(protocol.substr(0, 3)));
      std::size_t colon = port.rfind(':');
      SF_CHECK(colon != std::string::npos && colon > 4);
      SF_CHECK(port.find_first_not_of("0123456789", colon + 1) == std::string::npos);
      SF_CHECK(port.size() - colon - 1 >= 1 && port.size() - colon - 1 <= 5);
    }
  }
}

}  // namespace sf::fuzz
