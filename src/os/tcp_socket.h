// Listening TCP sockets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

struct TcpAddress {
  std::string host;  // a name or an address, without brackets
  std::string port;
};

// "127.0.0.1:8787", "localhost:8787", "[::1]:8787". The host is mandatory: to listen on all
// interfaces, use 0.0.0.0 or [::].
Result<TcpAddress> parse_tcp_address(std::string_view text);
Result<UniqueFd> listen_tcp(const TcpAddress& address);
Result<std::uint16_t> port_of(int listener);  // the kernel's choice, if 0 was requested

}  // namespace sf::os
