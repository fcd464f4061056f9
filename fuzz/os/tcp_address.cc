// Listen addresses: host and port that survive a round trip, or an error that shows the format.
#include "input.h"
#include "os/tcp_socket.h"

namespace sf::fuzz {

void tcp_address(std::string_view input) {
  auto address = os::parse_tcp_address(input);
  if (!address) {
    check_clear(address.error(), ErrorCode::kInvalidArgument);
    SF_CHECK(!address.error().hint.empty());
    return;
  }
  SF_CHECK(!address->host.empty());
  SF_CHECK(!address->port.empty());
  SF_CHECK(address->port.find_first_not_of("0123456789") == std::string::npos);
  bool brackets = address->host.find_first_of("[]:") != std::string::npos;
  std::string host = brackets ? "[" + address->host + "]" : address->host;
  auto again = os::parse_tcp_address(host + ":" + address->port);
  SF_CHECK(again.ok());
  SF_CHECK(again->host == address->host && again->port == address->port);
}

}  // namespace sf::fuzz
