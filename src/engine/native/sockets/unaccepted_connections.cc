#include "engine/native/sockets/unaccepted_connections.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "engine/native/sockets/internet_sockets.h"

namespace sf::waypoint::native {
namespace {

constexpr int kRepairQuietly = -1;  // TCP_REPAIR_OFF_NO_WP
constexpr int kBufferLock = 72;     // SO_BUF_LOCK
constexpr std::int64_t kSameTime = 20;
constexpr int kEstablished = 1;
constexpr int kFinWait2 = 5;
constexpr int kListen = 10;

bool may_wait(const SocketFacts& socket) {
  const TcpFacts& tcp = socket.tcp;
  return (tcp.state == kEstablished || tcp.state == kFinWait2) && !tcp.has_peer &&
         tcp.client.is_quiet;
}

bool comes_later(const SocketFacts& one, const SocketFacts& other) {
  return one.tcp.client.connected_ms > other.tcp.client.connected_ms + kSameTime;
}

// Clients are in the order of their connect times if these differ clearly, otherwise of their
// inodes. This is not a strict weak order, so std::sort cannot be used.
void sort_by_turn(std::vector<const SocketFacts*>& clients) {
  std::ranges::sort(clients, {}, &SocketFacts::inode);
  for (std::size_t i = 1; i < clients.size(); ++i)
    for (std::size_t at = i; at > 0 && comes_later(*clients[at - 1], *clients[at]); --at)
      std::swap(clients[at - 1], clients[at]);
}

void make_waiting(ProgramWriter& program, const FileImage& file, int location) {
  Arena& arena = program.arena();
  const SocketImage& socket = file.socket;
  auto option = [&](Argument fd, int level, int name, int value) {
    program.call(SYS_setsockopt, {fd, level, name, arena.put_value(value), sizeof value});
  };
  auto address = [&](long call, Argument fd, const std::string& name) {
    program.call(call, {fd, arena.put(name.data(), name.size()), name.size()});
  };
  program.about("making a connection that waits");
  Argument fd = program.keep(SYS_socket, {socket.family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP});
  if (socket.family == AF_INET6) option(fd, SOL_IPV6, IPV6_V6ONLY, 0);
  option(fd, IPPROTO_TCP, TCP_REPAIR, 1);  // other sockets may have that port
  address(SYS_bind, fd, socket.name);
  option(fd, IPPROTO_TCP, TCP_REPAIR, kRepairQuietly);
  address(SYS_connect, fd, socket.peer);
  if (socket.tcp.state == kFinWait2) program.call(SYS_shutdown, {fd, SHUT_WR});
  for (const SocketOption& each : socket.options) set_option(program, fd, each);
  program.try_call(SYS_setsockopt, {fd, SOL_SOCKET, kBufferLock,
                                    arena.put_value(socket.tcp.buffer_lock), sizeof(int)});
  program.call(SYS_fcntl, {fd, F_SETFL, file.flags});
  program.call(SYS_dup3, {fd, location, O_CLOEXEC});
  program.call(SYS_close, {fd});
}

}  // namespace

ClientFacts read_client_facts(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  std::int64_t now_ms = now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
  // If a client has sent no data, the time of its last data is that of its connect().
  return {.is_quiet = info.tcpi_bytes_sent == 0 && info.tcpi_notsent_bytes == 0 &&
                      info.tcpi_bytes_received == 0,
          .connected_ms = now_ms - info.tcpi_last_data_sent};
}

void tie_waiting(const std::vector<SocketFacts*>& sockets) {
  std::map<std::uint64_t, const SocketFacts*> listeners;
  for (const SocketFacts* socket : sockets)
    if (socket->tcp_state == kListen) listeners[socket->inode] = socket;
  std::map<std::uint64_t, std::vector<const SocketFacts*>> clients;  // by the listener's inode
  for (const SocketFacts* socket : sockets) {
    if (!may_wait(*socket)) continue;
    std::vector<std::uint64_t> found;
    for (const auto& [inode, listener] : listeners)
      if (listens_at(listener->name, socket->tcp.peer)) found.push_back(inode);
    // If several sockets listen at one port, the kernel does not show which one it chose.
    if (found.size() != 1) continue;
    auto& all = clients[found[0]];
    if (std::ranges::find(all, socket->inode, &SocketFacts::inode) == all.end())
      all.push_back(socket);
  }
  for (auto& [inode, all] : clients) {
    // All must be known, and all must fit: the backlog may have become smaller since.
    const SocketFacts& listener = *listeners[inode];
    if (static_cast<int>(all.size()) != listener.waiting) continue;
    if (listener.waiting > listener.backlog + 1) continue;
    sort_by_turn(all);
    for (SocketFacts* socket : sockets) {
      if (socket->inode == inode) socket->knows_waiting = true;
      auto turn = std::ranges::find(all, socket->inode, &SocketFacts::inode);
      if (turn != all.end()) socket->tcp.turn = static_cast<std::uint32_t>(turn - all.begin()) + 1;
    }
  }
}

void connect_waiting(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations) {
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < tree.files.size(); ++i)
    if (tree.files[i].kind == FileKind::kSocket && tree.files[i].socket.tcp.turn != 0)
      waiting.push_back(i);
  std::ranges::sort(waiting, {}, [&](std::size_t i) { return tree.files[i].socket.tcp.turn; });
  for (std::size_t i : waiting)
    make_waiting(program, tree.files[i], locations.first + static_cast<int>(i));
}

}  // namespace sf::waypoint::native
