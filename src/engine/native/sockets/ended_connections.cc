#include "engine/native/sockets/ended_connections.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/native/sockets/internet_sockets.h"
#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr std::uint32_t kClosed = 7;
constexpr int kRepairQuietly = -1;  // TCP_REPAIR_OFF_NO_WP
constexpr std::size_t kChunk = 32U << 10U;

// A loopback address that can be reached from `name`.
std::uint64_t put_loopback(Arena& arena, int family, const std::string& name) {
  sockaddr_in6 location{};
  sockaddr_in old{};
  old.sin_family = AF_INET;
  old.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  location.sin6_family = AF_INET6;
  location.sin6_addr = in6addr_loopback;
  sockaddr_in6 from{};
  if (name.size() == sizeof from) std::memcpy(&from, name.data(), sizeof from);
  if (IN6_IS_ADDR_V4MAPPED(&from.sin6_addr)) {
    location.sin6_addr = from.sin6_addr;
    std::memcpy(&location.sin6_addr.s6_addr[12], &old.sin_addr, sizeof old.sin_addr);
  }
  return family == AF_INET ? arena.put_value(old) : arena.put_value(location);
}

void make_ended(ProgramWriter& program, const FileImage& file, int location) {
  Arena& arena = program.arena();
  const SocketImage& socket = file.socket;
  const std::size_t size = socket.family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  auto option = [&](Argument fd, int level, int name, const auto& value) {
    program.call(SYS_setsockopt, {fd, level, name, arena.put_value(value), sizeof value});
  };
  program.about("making a connection that ends");
  auto make = [&] {
    return program.keep(SYS_socket, {socket.family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP});
  };
  Argument listener = make();
  std::uint64_t meeting = put_loopback(arena, socket.family, socket.name);
  program.call(SYS_bind, {listener, meeting, size});
  program.call(SYS_listen, {listener, 1});
  program.call(SYS_getsockname, {listener, meeting, arena.put_value(static_cast<socklen_t>(size))});
  Argument fd = make();
  if (!socket.name.empty()) {  // bound in repair mode: the address may be in use again
    option(fd, IPPROTO_TCP, TCP_REPAIR, 1);
    program.call(SYS_bind,
                 {fd, arena.put(socket.name.data(), socket.name.size()), socket.name.size()});
    option(fd, IPPROTO_TCP, TCP_REPAIR, kRepairQuietly);
  }
  const std::string& unread = socket.tcp.unread;
  if (!unread.empty())
    option(fd, SOL_SOCKET, SO_RCVBUFFORCE, static_cast<int>(2 * unread.size() + (256U << 10U)));
  program.call(SYS_connect, {fd, meeting, size});
  Argument other = program.keep(SYS_accept4, {listener, 0, 0, SOCK_CLOEXEC});
  for (std::size_t done = 0; done < unread.size(); done += kChunk) {
    std::size_t some = std::min(kChunk, unread.size() - done);
    program.call_exactly(static_cast<long>(some), SYS_sendto,
                         {other, arena.put(unread.data() + done, some), some, MSG_NOSIGNAL, 0, 0});
  }
  program.call(SYS_shutdown, {other, SHUT_WR});
  option(other, SOL_SOCKET, SO_LINGER, linger{1, 0});  // resets the connection: no state remains
  program.call(SYS_close, {other});
  program.call(SYS_close, {listener});
  int error = 0;  // consumed by this call
  program.call(SYS_getsockopt, {fd, SOL_SOCKET, SO_ERROR, arena.put_value(error),
                                arena.put_value(static_cast<socklen_t>(sizeof error))});
  for (const SocketOption& each : socket.options) set_option(program, fd, each);
  program.call(SYS_fcntl, {fd, F_SETFL, file.flags});
  program.call(SYS_dup3, {fd, location, O_CLOEXEC});
  program.call(SYS_close, {fd});
}

}  // namespace

bool has_ended(const TcpFacts& tcp) { return tcp.state == kClosed && tcp.is_readable; }

Result<TcpImage> capture_ended(int fd) {
  TcpImage tcp;
  tcp.state = kClosed;
  int size = 0;
  if (::ioctl(fd, SIOCINQ, &size) != 0) return os::last_error("looking at an ended connection");
  tcp.unread.resize(static_cast<std::size_t>(size));
  if (size == 0) return tcp;
  ssize_t n = ::recv(fd, tcp.unread.data(), tcp.unread.size(), MSG_PEEK | MSG_DONTWAIT);
  if (n < 0) return os::last_error("looking into an ended connection");
  tcp.unread.resize(static_cast<std::size_t>(n));
  return tcp;
}

void open_ended_connections(ProgramWriter& program, const TreeImage& tree,
                            const FdLocations& locations) {
  for (std::size_t i = 0; i < tree.files.size(); ++i) {
    const FileImage& file = tree.files[i];
    if (file.kind == FileKind::kSocket && file.socket.tcp.state == kClosed)
      make_ended(program, file, locations.first + static_cast<int>(i));
  }
}

}  // namespace sf::waypoint::native
