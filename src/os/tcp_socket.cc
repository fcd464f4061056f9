#include "os/tcp_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "os/error.h"

namespace sf::os {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<AddressList> look_up(const TcpAddress& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  int failed = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (failed != 0)
    return invalid("cannot resolve '" + address.host + "': " + ::gai_strerror(failed),
                   "use an address of this host, such as 127.0.0.1");
  return AddressList(found, &::freeaddrinfo);
}

Result<UniqueFd> listen_on(const addrinfo& address, const std::string& what) {
  UniqueFd fd(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return last_error("creating a socket for " + what);
  int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0)
    return last_error("binding " + what);
  if (::listen(fd.get(), SOMAXCONN) != 0) return last_error("listening on " + what);
  return fd;
}

}  // namespace

Result<TcpAddress> parse_tcp_address(std::string_view text) {
  auto no_address = [&] {
    return invalid("'" + std::string(text.substr(0, 256)) + "' is not HOST:PORT",
                   "for example 127.0.0.1:8787 or [::1]:8787");
  };
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return no_address();
  std::string_view host = text.substr(0, colon);
  std::string_view port = text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of("[]:") != std::string_view::npos) {
    return no_address();
  }
  std::uint16_t number = 0;
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (host.empty() || port.empty() || error != std::errc() || end != port.data() + port.size())
    return no_address();
  return TcpAddress{std::string(host), std::string(port)};
}

Result<UniqueFd> listen_tcp(const TcpAddress& address) {
  SF_TRY_ASSIGN(AddressList found, look_up(address));
  Result<UniqueFd> last = invalid("'" + address.host + "' has no address");
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    last = listen_on(*one, address.host + ":" + address.port);
    if (last.ok()) break;
  }
  return last;
}

Result<std::uint16_t> port_of(int listener) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (::getsockname(listener, reinterpret_cast<sockaddr*>(&name), &size) != 0)
    return last_error("reading a socket's port");
  return ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                          : reinterpret_cast<sockaddr_in*>(&name)->sin_port);
}

}  // namespace sf::os
