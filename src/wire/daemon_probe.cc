#include "wire/daemon_probe.h"

#include <sys/socket.h>

#include <string_view>

#include "os/socket.h"

namespace sf::wire {

bool daemon_answers(const std::string& socket_path, Deadline deadline) {
  constexpr std::string_view kQuestion =
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  auto connected = os::connect_unix(socket_path);
  if (!connected) return false;
  int fd = connected->get();
  if (::send(fd, kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL) < 0) return false;
  auto readable = os::wait_readable(fd, deadline);
  char byte = 0;
  return readable.ok() && *readable && ::recv(fd, &byte, 1, 0) == 1;
}

}  // namespace sf::wire
